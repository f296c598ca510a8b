import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Apps } from '../functions/data-access/apps/apps.ts';
import { openTables } from '../functions/data-access/apps/open-tables.ts';
import { appPaths } from '../local/data/app-file.ts';
import { type SqlTables, sqlTablesSchema } from '../shared/config/sql-tables.ts';
import { GIVEN } from '../shared/contract/tables.ts';
import { freePort, missingPostgres, type Postgres, startPostgres } from './data-access/postgres.ts';

const ZONE = 'Europe/Berlin';

const TYPES = {
  ...{ text: 'text', 'text?': 'text', integer: 'integer', 'integer?': 'integer' },
  ...{ double: 'double precision', boolean: 'boolean', millis: 'bigint', texts: 'text[]' },
};
const TABLES = ['events', 'sessions', 'screen_visits'] as const;

/**
 * Copies the demo shop of `dataDir` to tables with other names in a PostgreSQL of its own, and opens them. Disposing
 * stops and deletes it.
 */
export async function openShopTables(
  dataDir: string,
): Promise<{ apps: Apps; tables: SqlTables } & AsyncDisposable> {
  const missing = await missingPostgres();
  if (missing !== undefined) throw new Error(missing);
  const folder = await mkdtemp(join(tmpdir(), 'deltawatch-shop-tables-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const server = await startPostgres(join(folder, 'server'), {
    ...{ listen_addresses: '127.0.0.1', port: String(port), shared_buffers: '512MB', fsync: 'off' },
  });
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  };
  try {
    await copyTo(server, dataDir, folder);
    const tables = sqlTablesSchema.parse({ engine: 'postgres', urlSecret: 'url', apps: { demo: APP } });
    const url = `postgres://bench@127.0.0.1:${port}/postgres`;
    const apps = await openTables(tables, { folder, readSecret: async () => url });
    const close = async () => {
      apps.close();
      await stop();
    };
    return { apps, tables, [Symbol.asyncDispose]: close };
  } catch (error) {
    await stop();
    throw error;
  }
}

const mapping = (name: (typeof TABLES)[number]) => ({
  table: `team.x_${name}`,
  columns: Object.fromEntries(Object.keys(GIVEN[name]).map((column) => [column, `x_${column}`])),
});
const APP = {
  zone: ZONE,
  events: mapping('events'),
  sessions: mapping('sessions'),
  screen_visits: mapping('screen_visits'),
};

async function copyTo(server: Postgres, dataDir: string, folder: string): Promise<void> {
  const instance = await DuckDBInstance.create(appPaths(dataDir, 'demo').data, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  await server.run('create schema team');
  for (const name of TABLES) {
    const columns = Object.entries(GIVEN[name]);
    // A list as PostgreSQL writes it.
    const selected = columns.map(([column, type]) =>
      type === 'texts'
        ? `'{' || array_to_string(list_transform(${column}, x -> '"' || x || '"'), ',') || '}'`
        : column,
    );
    const file = join(folder, `${name}.csv`);
    await connection.run(
      `COPY (SELECT ${selected.join(', ')} FROM ${name}) TO '${file}' (FORMAT csv, HEADER false)`,
    );
    const types = columns.map(
      ([column, type]) => `x_${column} ${column.endsWith('properties') ? 'jsonb' : TYPES[type]}`,
    );
    await server.run(`create table team.x_${name} (${types.join(', ')});
      copy team.x_${name} from '${file}' (format csv);
      create index on team.x_${name} (x_recorded_at);
      create index on team.x_${name} (x_session_id)`);
  }
  await server.run('vacuum analyze');
  connection.closeSync();
  instance.closeSync();
}
