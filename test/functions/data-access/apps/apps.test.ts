import { copyFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { appsIn } from '../../../../functions/data-access/apps/apps.ts';
import { DEFAULT_LIMITS, openDuckDb } from '../../../../functions/data-access/engines/duckdb/engine.ts';
import type { Engine } from '../../../../functions/data-access/engines/engine.ts';
import { fairQueue } from '../../../../functions/data-access/engines/fair-queue.ts';
import { BusyError, QueryLimitError, UpstreamError } from '../../../../shared/runtime/errors.ts';
import { closingSamples, type Sample, session, writeData } from '../sample-app.ts';

const SESSIONS = '/v2/session/analytics';
const ENDLESS = sql`select count(*) from range(100000000000) t(i) where i % 7 = 3`;

const shopWith = closingSamples();
const sessionsOf = async (shop: Sample) => (await shop.get(SESSIONS)).body.data[0]?.session_count;

describe('a data directory', () => {
  test('a request in progress keeps reading the file that it started with', async () => {
    const shop = await shopWith({ sessions: [session()] });
    const apps = appsIn(shop.directory);
    const count = async (engine: Engine) =>
      (await engine.answer(sql`select count(*) as n from sessions`)).rows;
    const found = await apps.withApp({ appId: 'shop', keyId: 'k1' }, async ({ engine }) => {
      await writeData(join(shop.directory, 'shop.duckdb'), { sessions: [session(), session()] });
      const [after] =
        (await apps.withApp({ appId: 'shop', keyId: 'k1' }, (app) => count(app.engine)))?.answer ?? [];
      // Enough turns to close the old file if no request held it.
      await new Promise(setImmediate);
      await new Promise(setImmediate);
      return [await count(engine), [after]];
    });
    expect(found?.answer).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    apps.close();
  });

  test('a key with slow queries does not delay other keys', async () => {
    const shop = await shopWith({ sessions: [session()] });
    await copyFile(join(shop.directory, 'shop.duckdb'), join(shop.directory, 'other.duckdb'));
    const apps = appsIn(shop.directory);
    const caller = new AbortController();
    const heavy = ['shop', 'other', 'shop', 'other'].map((appId) =>
      apps.withApp({ appId, keyId: 'heavy' }, ({ engine }) => engine.answer(ENDLESS, caller.signal)),
    );
    const ended = Promise.allSettled(heavy);
    const asked = { appId: 'shop', keyId: 'light' };
    for (let at = 0; at < 5; at += 1) {
      const found = await apps.withApp(asked, ({ engine }) => engine.answer(sql`select 1 as one`));
      expect(found?.answer.rows).toEqual([{ one: 1 }]);
    }
    caller.abort(new Error('hung up'));
    expect((await ended).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    apps.close();
  });

  test('a failed request stops its remaining queries', async () => {
    const shop = await shopWith({ sessions: [session()] });
    const apps = appsIn(shop.directory);
    let rest: Promise<unknown> | undefined;
    const failed = apps.withApp({ appId: 'shop', keyId: 'k1' }, async ({ engine }) => {
      // After a quick query, the key may run two at once.
      await engine.answer(sql`select 1`);
      rest = engine.answer(ENDLESS).catch((error: unknown) => error);
      return Promise.all([rest, engine.answer(sql`select nothing from sessions`)]);
    });
    await expect(failed).rejects.toThrow(UpstreamError);
    expect(await rest).toMatchObject({ name: 'AbortError' });
    apps.close();
  });

  test('replaced files cause no failures or mixed results under load', async () => {
    const shop = await shopWith({ sessions: [session()] });
    const asked: Promise<unknown>[] = [];
    for (let size = 2; size <= 5; size += 1) {
      for (let call = 0; call < 8; call += 1) asked.push(sessionsOf(shop));
      await writeData(join(shop.directory, 'shop.duckdb'), {
        sessions: Array.from({ length: size }, () => session()),
      });
      for (let call = 0; call < 8; call += 1) asked.push(sessionsOf(shop));
    }
    const seen = await Promise.all(asked);
    expect(seen.every((count) => Number.isInteger(count) && Number(count) >= 1 && Number(count) <= 5)).toBe(
      true,
    );
    expect(await sessionsOf(shop)).toBe(5);
  });

  test('a missing or corrupt file makes the app unavailable until it is replaced', async () => {
    const shop = await shopWith({ sessions: [session()] });
    expect(await sessionsOf(shop)).toBe(1);
    await rm(join(shop.directory, 'shop.duckdb'));
    expect((await shop.get(SESSIONS)).status).toBe(503);
    await writeFile(join(shop.directory, 'shop.duckdb'), 'not a database');
    const broken = await shop.get(SESSIONS);
    expect([broken.status, broken.body.error?.code]).toEqual([503, 'UNAVAILABLE']);
    expect(JSON.stringify(broken.body)).not.toContain(shop.directory);
    await writeData(join(shop.directory, 'shop.duckdb'), { sessions: [session()] });
    expect(await sessionsOf(shop)).toBe(1);
  });
});

describe('the engine', () => {
  async function engineWith(limits = {}) {
    const shop = await shopWith({});
    return openDuckDb(join(shop.directory, 'shop.duckdb'), {
      ...DEFAULT_LIMITS,
      memoryLimit: '100MB',
      ...limits,
    });
  }

  test('rejects a file of another layout version', async () => {
    const shop = await shopWith({});
    const path = join(shop.directory, 'shop.duckdb');
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run('UPDATE layout SET version = 1');
    connection.closeSync();
    instance.closeSync();
    await expect(openDuckDb(path)).rejects.toThrow('another version');
  });

  test('stops a query at its time limit, and answers the next request', async () => {
    const engine = await engineWith({ timeoutMs: 20 });
    const request = engine.forRequest('k1');
    await expect(request.answer(ENDLESS)).rejects.toThrow(QueryLimitError);
    await expect(request.answer(sql`select 1 as one`)).rejects.toThrow(QueryLimitError);
    expect(await engine.forRequest('k1').answer(sql`select 1 as one`)).toEqual({ rows: [{ one: 1 }] });
    engine.closeSync();
  });

  test('is busy if a query gets no turn within the time limit', async () => {
    const shop = await shopWith({});
    const queue = fairQueue({ slots: 1 });
    const limits = { ...DEFAULT_LIMITS, memoryLimit: '100MB', timeoutMs: 20 };
    const engine = await openDuckDb(join(shop.directory, 'shop.duckdb'), limits, queue);
    const held = Promise.withResolvers<void>();
    const holder = queue('k1', new AbortController().signal, () => held.promise);
    await expect(engine.forRequest('k1').answer(sql`select 1 as one`)).rejects.toThrow(BusyError);
    held.resolve();
    await holder;
    engine.closeSync();
  });

  test('spills to disk outside of the data directory', async () => {
    const shop = await shopWith({});
    const path = join(shop.directory, 'shop.duckdb');
    const engine = await openDuckDb(path, { ...DEFAULT_LIMITS, memoryLimit: '60MB' });
    const sorted = sql`select max(t) as t from (select (i * 7919) % 1000003 || repeat('x', 40) as t, i
      from range(1500000) r(i) order by t limit 1400000)`;
    expect((await engine.forRequest('k1').answer(sorted)).rows).toHaveLength(1);
    expect((await readdir(shop.directory)).filter((name) => name.includes('tmp'))).toEqual([]);
    engine.closeSync();
  });

  test('stops a query when its caller aborts', async () => {
    const engine = await engineWith();
    const caller = new AbortController();
    const answer = engine.forRequest('k1').answer(ENDLESS, caller.signal);
    setImmediate(() => caller.abort(new Error('hung up')));
    await expect(answer).rejects.toThrow('hung up');
    engine.closeSync();
  });

  test.each([
    ['reads no other file', "SELECT * FROM read_csv('/etc/hostname')"],
    ['attaches no database', "ATTACH '/tmp/other.duckdb'"],
    ['writes nothing', 'DELETE FROM sessions'],
    ['changes no settings', "SET memory_limit = '1TB'"],
    ['installs no extension', 'INSTALL httpfs'],
  ])('%s, and does not repeat the statement in its error', async (_, statement) => {
    const engine = await engineWith();
    const error = await engine
      .forRequest('k1')
      .answer(sql.raw(statement))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UpstreamError);
    expect(error).toMatchObject({ cause: expect.any(Error) });
    expect(String((error as Error).cause)).not.toContain(statement);
    engine.closeSync();
  });
});
