import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFile,
  chmod,
  copyFile,
  mkdtemp,
  open,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { alertStoreIn } from '../../../shared/store/alert-store.ts';
import { lostWrites } from '../../../shared/store/sqlite-log.ts';
import { openSqliteTable } from '../../../shared/store/sqlite-table.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { aFiringAlert, NOW } from '../../contracts/samples.ts';

const WRITER = fileURLToPath(new URL('./sqlite-writer.ts', import.meta.url));
const DAMAGED = /table.sqlite cannot be used: it is damaged; restore it from a backup, or delete it/;

const clock = new ManualClock(NOW);
const { ruleId } = aFiringAlert();
let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deltawatch-table-'));
  file = join(folder, 'table.sqlite');
});
afterEach(() => rm(folder, { recursive: true }));

/** Writes until `stopAfter` alerts were acknowledged, and returns their number and what the process said. */
async function written(command: string[], stopAfter = Infinity, options = {}) {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let [acknowledged, said] = [0, ''];
  child.stdout.on('data', (dots: Buffer) => {
    acknowledged += dots.length;
    if (acknowledged >= stopAfter) child.kill('SIGKILL');
  });
  child.stderr.on('data', (text: Buffer) => {
    said += text.toString();
  });
  await once(child, 'close');
  return { acknowledged, said };
}

async function overwritten(path: string, from: number, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, 'r+');
  await handle.write(bytes, 0, bytes.length, from);
  await handle.close();
}

/** The alerts in the file, also by the two indexes. */
async function counted() {
  const table = openSqliteTable(file, clock);
  const store = alertStoreIn(table);
  const counts = [
    (await store.loadOfRule(ruleId)).length,
    (await store.loadPending(NOW)).length,
    (await store.loadOpen()).length,
  ];
  table.close();
  return counts;
}

test.each([1, 37, 200])('a process killed after %i writes has lost none', async (writes) => {
  const { acknowledged } = await written([process.execPath, WRITER, file], writes);
  const [stored = 0, ...indexed] = await counted();
  expect(stored).toBeGreaterThanOrEqual(acknowledged);
  expect(indexed).toEqual([stored, stored]);
});

test('several processes write at once, and none loses a write', async () => {
  const writers = ['a', 'b', 'c'].map((name) => written([process.execPath, WRITER, file, name], 100));
  const all = await Promise.all(writers);
  expect(all.map(({ said }) => said)).toEqual(['', '', '']);
  const acknowledged = all.reduce((sum, each) => sum + each.acknowledged, 0);
  expect((await counted())[0]).toBeGreaterThanOrEqual(acknowledged);
});

test('a process that opens a new file waits for another one that creates it', async () => {
  const creating = new Worker(
    `const { workerData: path, parentPort } = require('node:worker_threads');
    const database = new (require('node:sqlite').DatabaseSync)(path);
    database.exec('CREATE TABLE other (a); BEGIN IMMEDIATE');
    parentPort.postMessage('begun');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    database.close();`,
    { eval: true, workerData: file },
  );
  await once(creating, 'message');
  openSqliteTable(file, clock).close();
  await creating.terminate();
});

test('a disk without space stops a write with a sentence, and keeps all writes before', async () => {
  const command = `ulimit -f 600; exec "${process.execPath}" "${WRITER}" "${file}"`;
  const { acknowledged, said } = await written(['sh', '-c', command]);
  expect(said).toMatch(/^UpstreamError: the table .* cannot be used: the disk is full.*; free some space/);
  expect(acknowledged).toBeGreaterThan(0);
  expect((await counted())[0]).toBe(acknowledged);
});

test.runIf(process.getuid?.() === 0)('a folder of another user is refused', async () => {
  await written([process.execPath, WRITER, file], 1);
  await chmod(folder, 0o755);
  const { said } = await written([process.execPath, WRITER, file], Infinity, { uid: 65534, gid: 65534 });
  expect(said).toMatch(/^Error: EACCES: permission denied, access '.*'$/m);
});

describe('a damaged file is refused with what to do', () => {
  beforeEach(async () => {
    await written([process.execPath, WRITER, file], 300);
    // The last process that closes the file also removes its log.
    openSqliteTable(file, clock).close();
  });

  test.each([
    ['cut off', async () => truncate(file, Math.floor((await stat(file)).size / 8192) * 4096)],
    ['zeros in the middle', async () => overwritten(file, 8192, new Uint8Array((await stat(file)).size / 2))],
    ['zeros at the beginning', () => overwritten(file, 0, new Uint8Array(4096))],
    ['another file', () => writeFile(file, 'text '.repeat(2000))],
  ])('%s', async (_, damage) => {
    await damage();
    expect(() => openSqliteTable(file, clock)).toThrow(DAMAGED);
  });
});

describe('a log that lost its newest writes is said once', () => {
  // Before SQLite begins the log again.
  beforeEach(() => written([process.execPath, WRITER, file], 60));
  const tenthPage = 32 + 9 * (24 + 4096);

  const LOST: [string, (log: string) => Promise<void>][] = [
    ['gone', (log) => rm(log)],
    ['damaged', async (log) => truncate(log, tenthPage + 2000)],
    ['damaged', (log) => overwritten(log, 8, new Uint8Array(4))],
    ['damaged', (log) => overwritten(log, tenthPage, Buffer.from('other'))],
    ['damaged', (log) => overwritten(log, tenthPage + 3000, Buffer.from('other'))],
  ];
  test.each(LOST)('it is %s', async (how, damage) => {
    await damage(`${file}-wal`);
    expect(lostWrites(file)).toContain(
      `table.sqlite-wal is ${how}, so the newest writes of the table are lost`,
    );
    expect((await counted())[0]).toBeLessThan(60);
    expect(lostWrites(file)).toBeUndefined();
  });

  test('not of a killed process, whose last write was half done', async () => {
    await appendFile(`${file}-wal`, new Uint8Array(3000));
    expect(lostWrites(file)).toBeUndefined();
    expect((await counted())[0]).toBeGreaterThanOrEqual(60);
  });

  test('not beside a process that writes', async () => {
    const writing = written([process.execPath, WRITER, file, 'b'], 300);
    let isDone = false;
    void writing.then(() => {
      isDone = true;
    });
    const said = new Set<unknown>();
    while (!isDone) {
      said.add(lostWrites(file));
      await setImmediate();
    }
    expect([...said]).toEqual([undefined]);
  });
});

test('damage of a file that is open fails what needs it with what to do', async () => {
  const table = openSqliteTable(file, clock);
  for (let i = 0; i < 3000; i++) await table.put({ pk: 'a', sk: `${i}`, text: 'x'.repeat(2000) });
  await overwritten(file, 4096, new Uint8Array((await stat(file)).size - 8192));
  await expect(table.query({ partition: 'a' })).rejects.toThrow(DAMAGED);
  table.close();
});

test.each([
  ['deleted', () => rm(file)],
  ['replaced', () => rename(`${file}.copy`, file)],
])('a file that is %s while it is open takes no more writes', async (_, change) => {
  const table = openSqliteTable(file, clock);
  await table.put({ pk: 'a', sk: 'before' });
  await copyFile(file, `${file}.copy`);
  await change();
  const gone =
    /table.sqlite cannot be used: it was deleted or replaced while it is in use; stop this process/;
  await expect(table.put({ pk: 'a', sk: 'after' })).rejects.toThrow(gone);
  await expect(table.query({ partition: 'a' })).rejects.toThrow(gone);
  table.close();
});

test('removeExpired removes only what has expired', async () => {
  const later = new ManualClock(NOW);
  const table = openSqliteTable(file, later);
  await table.putAll([
    { pk: 'a', sk: 'kept' },
    { pk: 'a', sk: 'day', expiresAt: (NOW + DAY_MS) / 1000 },
    { pk: 'a', sk: 'week', expiresAt: (NOW + 7 * DAY_MS) / 1000 },
  ]);
  later.advanceTo(NOW + DAY_MS);
  table.removeExpired();
  table.close();
  const again = openSqliteTable(file, clock);
  expect((await again.query({ partition: 'a' })).map(({ sk }) => sk)).toEqual(['kept', 'week']);
  again.close();
});
