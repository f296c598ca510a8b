import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { athenaTables } from '../../functions/data-access/apps/athena-tables.ts';
import { mappedApps } from '../../functions/data-access/apps/mapped-apps.ts';
import { openTables } from '../../functions/data-access/apps/open-tables.ts';
import { sqlTablesSchema } from '../../shared/config/sql-tables.ts';
import type { Database } from '../functions/data-access/tables/databases.ts';
import { startAthenaStandIn } from './athena-stand-in.ts';
import { CATALOG } from './server.ts';
import { runStatement } from './statement.ts';

interface Stored {
  /** As DuckDB writes it to Parquet. */
  readonly parquet: string;
  /** As the table in Trino has it. */
  readonly column: string;
  /** As the view has it. A table of Hive has no zones and no JSON. */
  readonly view?: (name: string) => string;
}
const TEXT: Stored = { parquet: 'varchar', column: 'varchar' };
const STORED: Readonly<Record<string, Stored>> = {
  text: TEXT,
  varchar: TEXT,
  boolean: { parquet: 'boolean', column: 'boolean' },
  smallint: { parquet: 'smallint', column: 'smallint' },
  integer: { parquet: 'integer', column: 'integer' },
  real: { parquet: 'real', column: 'real' },
  timestamp: { parquet: 'timestamp', column: 'timestamp(3)' },
  timestamptz: {
    parquet: 'timestamp',
    column: 'timestamp(3)',
    view: (name) => `with_timezone("${name}", 'UTC')`,
  },
  'text[]': { parquet: 'varchar[]', column: 'array(varchar)' },
  json: { ...TEXT, view: (name) => `json_parse("${name}")` },
};

/** Tables in Trino, which the service reads as it reads Athena, or with the protocol of Trino. */
export async function trinoDatabase(
  trino: { url: string; storage: string },
  engine: 'athena' | 'trino',
): Promise<Database> {
  const standIn = await startAthenaStandIn(trino.url);
  const schema = `database_${randomUUID().replaceAll('-', '')}`;
  const run = (sql: string) => runStatement({ url: trino.url, catalog: CATALOG, schema }, sql);
  await run(`create schema ${schema}`);
  return {
    jsonType: 'json',
    async run(sql) {
      // Another suite of this server may have left the schema.
      const [, left] = /^create schema (\w+)$/.exec(sql) ?? [];
      if (left !== undefined) await run(`drop schema if exists ${left} cascade`);
      return run(sql);
    },
    async create(name, columns, rows) {
      const folder = `${schema}/${randomUUID()}`;
      const stored = Object.entries(columns).map(([column, type]) => ({
        name: column,
        ...(STORED[type] ?? unknown(type)),
      }));
      await writeParquet(join(trino.storage, folder), stored, rows);
      const table = `${name.replaceAll('"', '')}_rows`;
      await run(`create table ${table} (${stored.map((each) => `"${each.name}" ${each.column}`).join(', ')})
        with (external_location = 'local:///${folder}', format = 'PARQUET')`);
      const views = stored.map((each) => `${each.view?.(each.name) ?? `"${each.name}"`} as "${each.name}"`);
      await run(`create view ${name} as select ${views.join(', ')} from ${table}`);
    },
    async open(apps) {
      if (engine === 'trino') {
        const config = sqlTablesSchema.parse({ engine, urlSecret: 'url', catalog: CATALOG, schema, apps });
        return openTables(config, { folder: '.', readSecret: async () => trino.url });
      }
      const config = sqlTablesSchema.parse({ engine, database: schema, apps });
      if (config.engine !== 'athena') throw new Error('another engine');
      return mappedApps(
        athenaTables(config, {
          endpoint: standIn.url,
          region: 'eu-central-1',
          credentials: { accessKeyId: 'id', secretAccessKey: 'key' },
        }),
      );
    },
    close: () => standIn.close(),
  };
}

function unknown(type: string): never {
  throw new Error(`no column of the type ${type}`);
}

async function writeParquet(
  folder: string,
  columns: readonly (Stored & { name: string })[],
  rows: readonly object[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const json = `${folder}.json`;
  await writeFile(json, JSON.stringify(rows));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const types = columns.map(({ name, parquet }) => `"${name}": '${parquet}'`);
  await connection.run(
    `copy (from read_json('${json}', columns = {${types.join(', ')}})) to '${folder}/rows.parquet'`,
  );
  connection.closeSync();
  instance.closeSync();
}
