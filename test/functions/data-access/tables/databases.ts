import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { PGlite } from '@electric-sql/pglite';
import { inject, type ProvidedContext } from 'vitest';
import type { Apps } from '../../../../functions/data-access/apps/apps.ts';
import { mappedApps } from '../../../../functions/data-access/apps/mapped-apps.ts';
import { openTables } from '../../../../functions/data-access/apps/open-tables.ts';
import { postgresTables } from '../../../../functions/data-access/apps/postgres-tables.ts';
import { type SqlTablesInput, sqlTablesSchema } from '../../../../shared/config/sql-tables.ts';
import { clickHouseDatabase } from '../../../clickhouse/clickhouse-database.ts';
import { trinoDatabase } from '../../../trino/trino-database.ts';
import type { CreateTable } from './foreign-tables.ts';
import { pgliteClient } from './pglite-client.ts';

export type AppsInput = SqlTablesInput['apps'];

/** A database of a team. */
export interface Database {
  /** The type of a column with JSON. */
  readonly jsonType: 'json' | 'jsonb';
  readonly create: CreateTable;
  run(sql: string): Promise<unknown>;
  /** Call it after all tables are created. */
  open(apps: AppsInput): Promise<Apps>;
  close(): Promise<void>;
}

const trino = inject('trino') as ProvidedContext['trino'] | undefined;

export const clickhouse = inject('clickhouse') as ProvidedContext['clickhouse'] | undefined;

interface Startable {
  readonly name: string;
  readonly start: () => Promise<Database>;
}

/** The databases of this suite: Trino and ClickHouse in their own, all others in `npm test`. */
export const DATABASES: readonly Startable[] = databases();

function databases(): readonly Startable[] {
  if (trino)
    return [
      { name: 'Athena', start: () => trinoDatabase(trino, 'athena') },
      { name: 'Trino', start: () => trinoDatabase(trino, 'trino') },
    ];
  if (clickhouse) return [{ name: 'ClickHouse', start: () => clickHouseDatabase(clickhouse) }];
  return [
    { name: 'PostgreSQL', start: postgres },
    { name: 'DuckDB', start: duckDb },
  ];
}

const columnsSql = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, type]) => `"${name}" ${type}`)
    .join(', ');

/** PostgreSQL in this process. */
export async function postgres(): Promise<Database> {
  const database = await PGlite.create();
  return {
    jsonType: 'jsonb',
    run: (sql) => database.exec(sql),
    async create(name, columns, rows) {
      await database.exec(`create table ${name} (${columnsSql(columns)})`);
      await database.query(
        `insert into ${name} select * from jsonb_to_recordset($1::jsonb) as r(${columnsSql(columns)})`,
        [JSON.stringify(rows)],
      );
    },
    async open(apps) {
      const config = sqlTablesSchema.parse({ engine: 'postgres', urlSecret: 'url', apps });
      if (config.engine !== 'postgres') throw new Error('another engine');
      return mappedApps(postgresTables(config, { ...pgliteClient(database), close: async () => {} }));
    },
    close: () => database.close(),
  };
}

/** A DuckDB file with tables. */
async function duckDb(): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'sql-tables-'));
  const file = join(folder, 'team.duckdb');
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  let opened: Apps | undefined;
  return {
    jsonType: 'json',
    run: (sql) => connection.run(sql),
    async create(name, columns, rows) {
      const json = join(folder, 'rows.json');
      await writeFile(json, JSON.stringify(rows));
      await connection.run(`create table ${name} (${columnsSql(columns)})`);
      const types = Object.entries(columns).map(([column, type]) => `"${column}": '${type}'`);
      await connection.run(
        `insert into ${name} select * from read_json('${json}', columns = {${types.join(', ')}})`,
      );
    },
    async open(apps) {
      connection.closeSync();
      instance.closeSync();
      const config = sqlTablesSchema.parse({ engine: 'duckdb', database: 'team.duckdb', apps });
      opened = await openTables(config, { folder, readSecret: async () => '' });
      return opened;
    },
    async close() {
      opened?.close();
      await rm(folder, { recursive: true });
    },
  };
}
