import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Apps } from '../functions/data-access/apps/apps.ts';
import { openTables } from '../functions/data-access/apps/open-tables.ts';
import { type PostHogTables, type SqlTables, sqlTablesSchema } from '../shared/config/sql-tables.ts';
import { GIVEN, type RowType } from '../shared/contract/tables.ts';
import { runStatement as runInClickHouse } from '../test/clickhouse/clickhouse-database.ts';
import { startClickHouse } from '../test/clickhouse/server.ts';
import { installTrino } from '../test/trino/installation.ts';
import { CATALOG, startTrino } from '../test/trino/server.ts';
import { runStatement as runInTrino } from '../test/trino/statement.ts';
import { createTables } from '../test/trino/tables.ts';
import { copyOut } from './data-access/copy-out.ts';
import { freePort, missingPostgres, startPostgres } from './data-access/postgres.ts';

const TABLES = ['events', 'sessions', 'screen_visits'] as const;

export const TEAM_ENGINES = ['duckdb', 'postgres', 'clickhouse', 'trino'] as const;
export type TeamEngine = (typeof TEAM_ENGINES)[number];
export const isTeamEngine = (name: string | undefined): name is TeamEngine =>
  TEAM_ENGINES.some((engine) => engine === name);

export interface TeamTables extends AsyncDisposable {
  readonly apps: Apps;
  readonly tables: Exclude<SqlTables, PostHogTables>;
  /** Of the server, if the engine has one. */
  readonly url: string;
}

interface Wanted {
  /** The folder of the apps. */
  readonly directory: string;
  readonly apps: readonly string[];
  readonly zone: string;
}

/**
 * Copies apps to tables with other names in an engine of its own, and opens them. Disposing stops the engine and deletes
 * the tables.
 */
export async function openTeamTables(
  engine: TeamEngine,
  { directory, apps, zone }: Wanted,
): Promise<TeamTables> {
  const folder = await mkdtemp(join(tmpdir(), 'deltawatch-team-tables-'));
  // A server may run as another user.
  await chmod(folder, 0o755);
  const server = await SERVERS[engine](folder).catch(async (error: unknown) => {
    await rm(folder, { recursive: true });
    throw error;
  });
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  };
  try {
    const mapped: Record<string, object> = {};
    for (const app of apps) {
      const tablesOf: Record<string, object> = {};
      for (const name of TABLES) tablesOf[name] = await copy(server, { directory, app, name });
      mapped[app] = { zone, ...tablesOf };
    }
    const tables = sqlTablesSchema.parse({ ...server.config, apps: mapped });
    const opened = await openTables(tables, { folder, readSecret: async () => server.url });
    const close = async () => {
      opened.close();
      await stop();
    };
    return { apps: opened, tables, url: server.url, [Symbol.asyncDispose]: close };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Copied {
  readonly directory: string;
  readonly app: string;
  readonly name: (typeof TABLES)[number];
}

async function copy(server: Server, table: Copied) {
  const { app, name } = table;
  const label = `${app}_${name}`;
  const columns = Object.entries(GIVEN[name]);
  const selected = columns.map(
    ([column, type]) => `${server.written?.(column, type) ?? column} as x_${column}`,
  );
  const file = await server.fileOf(label);
  await mkdir(dirname(file), { recursive: true });
  await copyOut(table, `SELECT ${selected.join(', ')} FROM ${name}`, file, server.form);
  const place = await server.load(label, columns, file);
  return { ...place, columns: Object.fromEntries(columns.map(([column]) => [column, `x_${column}`])) };
}

type Column = readonly [name: string, type: RowType];

interface Server {
  /** Of `figures.sql`, without apps. */
  readonly config: object;
  readonly url: string;
  /** The options of DuckDB's COPY. */
  readonly form: string;
  /** A cell as the file has it, if not as DuckDB writes it. */
  written?(column: string, type: RowType): string | undefined;
  fileOf(label: string): string;
  load(
    label: string,
    columns: readonly Column[],
    file: string,
  ): Promise<{ table: string } | { files: string }>;
  stop(): Promise<void>;
}

const PARQUET = 'FORMAT parquet';
const SERVERS: Readonly<Record<TeamEngine, (folder: string) => Promise<Server>>> = {
  duckdb: async (folder) => ({
    config: { engine: 'duckdb', memoryLimit: '4GB' },
    url: '',
    form: PARQUET,
    fileOf: (label) => join(folder, `${label}.parquet`),
    load: async (_label, _columns, file) => ({ files: file }),
    stop: async () => {},
  }),
  postgres,
  clickhouse,
  trino,
};

const POSTGRES_TYPES: Readonly<Record<RowType, string>> = {
  ...{ text: 'text', 'text?': 'text', integer: 'integer', 'integer?': 'integer' },
  ...{ double: 'double precision', boolean: 'boolean', millis: 'bigint', texts: 'text[]' },
};
/** As PostgreSQL writes it. */
const list = (column: string) =>
  `'{' || array_to_string(list_transform(${column}, x -> '"' || x || '"'), ',') || '}'`;

async function postgres(folder: string): Promise<Server> {
  const missing = await missingPostgres();
  if (missing !== undefined) throw new Error(missing);
  const port = await freePort();
  const server = await startPostgres(join(folder, 'server'), {
    ...{ listen_addresses: '127.0.0.1', port: String(port), shared_buffers: '512MB', fsync: 'off' },
  });
  await server.run('create schema team');
  return {
    config: { engine: 'postgres', urlSecret: 'url' },
    url: `postgres://bench@127.0.0.1:${port}/postgres`,
    form: 'FORMAT csv, HEADER false',
    written: (column, type) => (type === 'texts' ? list(column) : undefined),
    fileOf: (label) => join(folder, `${label}.csv`),
    async load(label, columns, file) {
      const types = columns.map(
        ([name, type]) => `x_${name} ${name.endsWith('properties') ? 'jsonb' : POSTGRES_TYPES[type]}`,
      );
      const table = `team.${label}`;
      await server.run(`create table ${table} (${types.join(', ')});
        copy ${table} from '${file}' (format csv);
        create index on ${table} (x_recorded_at);
        create index on ${table} (x_session_id);
        vacuum analyze ${table}`);
      await rm(file);
      return { table };
    },
    stop: server.stop,
  };
}

const CLICKHOUSE_TYPES: Readonly<Record<RowType, string>> = {
  ...{ text: 'String', 'text?': 'Nullable(String)', integer: 'Int32', 'integer?': 'Nullable(Int32)' },
  ...{ double: 'Float64', boolean: 'Bool', millis: "DateTime64(3, 'UTC')", texts: 'Array(String)' },
};

async function clickhouse(folder: string): Promise<Server> {
  const { url, stop } = await startClickHouse(join(folder, 'server'));
  await runInClickHouse(url, 'create database team');
  return {
    config: { engine: 'clickhouse', urlSecret: 'url' },
    url: `${url}/team`,
    form: PARQUET,
    fileOf: (label) => join(folder, `${label}.parquet`),
    async load(table, columns, file) {
      const types = columns.map(
        ([name, type]) =>
          `x_${name} ${name === 'event_name' ? 'LowCardinality(String)' : CLICKHOUSE_TYPES[type]}`,
      );
      const named = columns.some(([name]) => name === 'event_name') ? 'x_event_name, ' : '';
      const cells = columns.map(([name, type]) =>
        type === 'millis' ? `fromUnixTimestamp64Milli(x_${name}, 'UTC')` : `x_${name}`,
      );
      await runInClickHouse(
        `${url}/team`,
        `create table ${table} (${types.join(', ')}) engine = MergeTree order by (toDate(x_recorded_at), ${named}x_recorded_at)`,
      );
      await runInClickHouse(
        `${url}/team`,
        `insert into ${table} select ${cells.join(', ')} from file('${file}', Parquet)`,
      );
      await runInClickHouse(`${url}/team`, `optimize table ${table} final`);
      await rm(file);
      return { table };
    },
    stop,
  };
}

const TRINO_TYPES: Readonly<Record<RowType, string>> = {
  ...{ text: 'varchar', 'text?': 'varchar', integer: 'integer', 'integer?': 'integer' },
  ...{ double: 'double', boolean: 'boolean', millis: 'bigint', texts: 'array(varchar)' },
};

async function trino(): Promise<Server> {
  const server = await startTrino(await installTrino());
  const { url, storage, stop } = server;
  // A server answers shortly before it can read.
  await createTables(server);
  const session = { url, catalog: CATALOG, schema: 'team' };
  await runInTrino(session, 'create schema team');
  return {
    config: { engine: 'trino', urlSecret: 'url', catalog: CATALOG, schema: 'team' },
    url,
    form: PARQUET,
    fileOf: (label) => join(storage, label, 'rows.parquet'),
    async load(table, columns) {
      const types = columns.map(([name, type]) => `x_${name} ${TRINO_TYPES[type]}`);
      await runInTrino(
        session,
        `create table ${table} (${types.join(', ')}) with (external_location = 'local:///${table}', format = 'PARQUET')`,
      );
      return { table };
    },
    stop,
  };
}
