import { copyFile, mkdtempDisposable, open, readdir, readlink, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { type RawBuilder, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Apps } from '../../../../functions/data-access/apps/apps.ts';
import { openTables } from '../../../../functions/data-access/apps/open-tables.ts';
import { sqlTablesSchema } from '../../../../shared/config/sql-tables.ts';
import { UpstreamError } from '../../../../shared/runtime/errors.ts';

const ROWS = 100_000;
const DUCKDB_HEADER_BYTES = 12 * 1024;
const DUCKDB_BLOCK_BYTES = 256 * 1024;

/** An open DuckDB file with one damaged block. */
async function openDamaged() {
  const folder = await mkdtempDisposable(join(tmpdir(), 'open-tables-'));
  const file = join(folder.path, 'team.duckdb');
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await connection.run(
    `create table events as select 'open' as event_name, md5(i::varchar) as user_id, make_timestamp(i) as recorded_at from range(${ROWS}) rows(i)`,
  );
  connection.closeSync();
  instance.closeSync();
  const intact = join(folder.path, 'intact');
  await copyFile(file, intact);
  const damaged = await open(file, 'r+');
  await damaged.write('damage', DUCKDB_HEADER_BYTES + 3 * DUCKDB_BLOCK_BYTES);
  await damaged.close();
  const columns = { event_name: 'event_name', user_id: 'user_id', recorded_at: 'recorded_at' };
  const apps = { shop: { zone: 'UTC', events: { table: 'events', columns } } };
  const config = sqlTablesSchema.parse({ engine: 'duckdb', database: 'team.duckdb', apps });
  return {
    apps: await openTables(config, { folder: folder.path, readSecret: async () => '' }),
    file,
    repair: () => rename(intact, file),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function ask(apps: Apps, query: RawBuilder<unknown>) {
  const found = await apps.withApp({ appId: 'shop', keyId: 'k1' }, ({ engine }) => engine.answer(query));
  return found?.answer.rows;
}

const readAll = sql`select count(user_id || event_name) as n, max(user_id) as most from events`;
/** Identifies the open instance. */
const place = sql`select current_setting('temp_directory') as place`;

describe('tables in DuckDB', () => {
  test('are opened again after a failure, once for all requests that failed', async () => {
    await using team = await openDamaged();
    const before = await ask(team.apps, place);
    const failed = { status: 'rejected', reason: { name: UpstreamError.name, retryable: true } };
    const asked = [ask(team.apps, readAll), ask(team.apps, readAll)];
    expect(await Promise.allSettled(asked)).toMatchObject([failed, failed]);
    await team.repair();
    expect(await ask(team.apps, readAll)).toMatchObject([{ n: ROWS }]);
    const after = await ask(team.apps, place);
    expect(after).not.toEqual(before);
    expect(await ask(team.apps, place)).toEqual(after);
    team.apps.close();
  });

  test('stay open after an invalid query', async () => {
    await using team = await openDamaged();
    const before = await ask(team.apps, place);
    const wrong = ask(team.apps, sql`select nothing from events`);
    await expect(wrong).rejects.toMatchObject({ code: 'INTERNAL', message: 'the query engine failed' });
    expect(await ask(team.apps, place)).toEqual(before);
    team.apps.close();
  });

  test.skipIf(process.platform !== 'linux')('leave no file open', async () => {
    await using team = await openDamaged();
    await ask(team.apps, readAll).catch(() => {});
    await ask(team.apps, place);
    const asking = ask(team.apps, place);
    team.apps.close();
    await asking;
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const handles = await readdir('/proc/self/fd');
    const files = await Promise.all(handles.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
    expect(files.filter((each) => each.startsWith(team.file))).toEqual([]);
  });
});
