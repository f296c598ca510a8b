import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, open, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { alertStoreIn } from '../../../shared/store/alert-store.ts';
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

test('a disk without space stops a write with a sentence, and keeps all writes before', async () => {
  const command = `ulimit -f 600; exec "${process.execPath}" "${WRITER}" "${file}"`;
  const { acknowledged, said } = await written(['sh', '-c', command]);
  expect(said).toMatch(/^UpstreamError: the table .* cannot be used: the disk is full.*; free some space/);
  expect(acknowledged).toBeGreaterThan(0);
  expect((await counted())[0]).toBe(acknowledged);
});

test.runIf(process.getuid?.() === 0)('a folder of another user is refused with what to do', async () => {
  await written([process.execPath, WRITER, file], 1);
  await chmod(folder, 0o755);
  const { said } = await written([process.execPath, WRITER, file], Infinity, { uid: 65534, gid: 65534 });
  expect(said).toMatch(/^ConfigError: the table .*: this user may not read and write it and its folder/);
});

describe('a damaged file is refused with what to do', () => {
  beforeEach(async () => {
    await written([process.execPath, WRITER, file], 300);
    // The last process that closes the file also removes its log.
    openSqliteTable(file, clock).close();
  });

  const overwritten = async (from: number, bytes: Uint8Array) => {
    const handle = await open(file, 'r+');
    await handle.write(bytes, 0, bytes.length, from);
    await handle.close();
  };
  test.each([
    ['cut off', async () => truncate(file, Math.floor((await stat(file)).size / 8192) * 4096)],
    ['zeros in the middle', async () => overwritten(8192, new Uint8Array((await stat(file)).size / 2))],
    ['zeros at the beginning', () => overwritten(0, new Uint8Array(4096))],
    ['another file', () => writeFile(file, 'text '.repeat(2000))],
  ])('%s', async (_, damage) => {
    await damage();
    expect(() => openSqliteTable(file, clock)).toThrow(DAMAGED);
  });
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
