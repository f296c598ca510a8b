import { copyFile, mkdtemp, open, readdir, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Apps, appsIn } from '../../../../functions/data-access/apps/apps.ts';
import { DEFAULT_LIMITS } from '../../../../functions/data-access/engines/duckdb/engine.ts';
import type { Engine } from '../../../../functions/data-access/engines/engine.ts';
import { UpstreamError } from '../../../../shared/runtime/errors.ts';
import { session, writeData } from '../sample-app.ts';

let directory: string;
let apps: Apps;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'open-engines-'));
  await writeData(join(directory, 'template'), { sessions: [session()] });
  apps = appsIn(directory, { ...DEFAULT_LIMITS, memoryLimit: '1GB', threads: 1 });
});
afterEach(async () => {
  apps.close();
  await rm(directory, { recursive: true });
});

async function addApps(...ids: string[]): Promise<void> {
  for (const id of ids) {
    await writeFile(join(directory, `${id}.json`), JSON.stringify({ id, name: id }));
    await copyFile(join(directory, 'template'), join(directory, `${id}.duckdb`));
  }
}

async function ask<T>(appId: string, use: (engine: Engine) => Promise<T>): Promise<T> {
  const found = await apps.withApp({ appId, keyId: 'k1' }, ({ engine }) => use(engine));
  if (found === undefined) throw new Error(`no app ${appId}`);
  return found.answer;
}

/** The temporary directory of the engine, which identifies it. */
async function engineOf(appId: string): Promise<unknown> {
  const setting = sql`select current_setting('temp_directory') as place`;
  return (await ask(appId, (engine) => engine.answer(setting))).rows[0]?.place;
}

/** The memory limit of the engine in MB. */
async function memoryOf(appId: string): Promise<number> {
  const setting = sql`select current_setting('memory_limit') as size`;
  const { rows } = await ask(appId, (engine) => engine.answer(setting));
  const mebibytes = Number(/^([\d.]+) MiB$/.exec(String(rows[0]?.size))?.[1]);
  return Math.round(mebibytes * 1.048576);
}

/** Waits until retired engines are closed. */
const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('one app has all the memory, and three apps have a third each', async () => {
  await addApps('a');
  expect(await memoryOf('a')).toBe(1000);
  await addApps('b', 'c');
  const all = [await memoryOf('b'), await memoryOf('c'), await memoryOf('a')];
  expect(all).toEqual([333, 333, 333]);
});

test('a fifth app closes the least recently used one, which reopens on demand', async () => {
  await addApps('a', 'b', 'c', 'd', 'e');
  const [a, b] = [await engineOf('a'), await engineOf('b')];
  for (const id of ['c', 'd', 'a', 'e']) await engineOf(id);
  await settled();
  expect(await engineOf('a')).toBe(a);
  expect(await engineOf('b')).not.toBe(b);
  expect(await memoryOf('b')).toBe(250);
});

test('an app is not closed during a request', async () => {
  await addApps('a', 'b', 'c', 'd', 'e');
  const { rows } = await ask('a', async (engine) => {
    for (const id of ['b', 'c', 'd', 'e']) await engineOf(id);
    await settled();
    return engine.answer(sql`select count(*) as n from sessions`);
  });
  expect(rows).toEqual([{ n: 1 }]);
});

test('apps that open at the same time share the memory equally', async () => {
  await addApps('a', 'b', 'c');
  const ids = ['a', 'b', 'c', 'a', 'b', 'c'];
  expect(await Promise.all(ids.map(memoryOf))).toEqual(ids.map(() => 333));
  const engines = await Promise.all(ids.map(engineOf));
  expect(new Set(engines).size).toBe(3);
});

const DUCKDB_BLOCK_BYTES = 256 * 1024;

/** A file whose schema can be read and whose rows cannot. */
async function writeDamaged(path: string): Promise<void> {
  const sessions = Array.from({ length: 3000 }, (_, i) => session({ user_properties: { i: Math.sin(i) } }));
  await writeData(path, { sessions });
  const file = await open(path, 'r+');
  const { size } = await file.stat();
  // The last block has the sums by the hour.
  await file.write('damage', size - 2 * DUCKDB_BLOCK_BYTES);
  await file.close();
}

test('a file that fails to be read is reopened once for all concurrent failures', async () => {
  await addApps('a');
  await writeDamaged(join(directory, 'a.duckdb'));
  const before = await engineOf('a');
  const readAll = (engine: Engine) =>
    engine.answer(sql`select max(session_id), max(user_properties) from sessions`);
  const answers = await Promise.allSettled([ask('a', readAll), ask('a', readAll)]);
  const failed = { status: 'rejected', reason: { name: UpstreamError.name, retryable: true } };
  expect(answers).toMatchObject([failed, failed]);
  const after = await engineOf('a');
  expect(after).not.toBe(before);
  expect(await engineOf('a')).toBe(after);
});

/** The number of open handles to data files in this process, from /proc. */
async function openFiles(): Promise<number> {
  const handles = await readdir('/proc/self/fd');
  const targets = await Promise.all(handles.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(directory) && target.includes('.duckdb')).length;
}

const count = (engine: Engine) => engine.answer(sql`select count(*) as n from sessions`);

describe.skipIf(process.platform !== 'linux')('open files', () => {
  beforeEach(() => addApps('a', 'b', 'c', 'd', 'e', 'f'));

  test('are at most four after concurrent requests to six apps', async () => {
    for (let round = 0; round < 3; round += 1) {
      const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'a', 'b', 'c', 'd', 'e', 'f'];
      await Promise.all(ids.map((id) => ask(id, count)));
      await settled();
      expect(await openFiles()).toBeLessThanOrEqual(4);
    }
  });

  test('are one for an app whose file was replaced', async () => {
    for (let swap = 0; swap < 3; swap += 1) {
      await copyFile(join(directory, 'template'), join(directory, 'new'));
      await rename(join(directory, 'new'), join(directory, 'a.duckdb'));
      await Promise.all([ask('a', count), ask('a', count)]);
    }
    await settled();
    expect(await openFiles()).toBe(1);
  });

  test('are none after close, even with requests in progress', async () => {
    await ask('a', count);
    const asking = Promise.all(['a', 'b', 'c'].map((id) => ask(id, count)));
    await ask('a', async () => apps.close());
    await asking;
    await settled();
    expect(await openFiles()).toBe(0);
  });
});
