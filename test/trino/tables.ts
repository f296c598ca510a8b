import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ColumnType,
  folderOf,
  TABLE_NAMES,
  TABLES,
  type TableName,
} from '../../shared/contract/tables.ts';
import { CATALOG, type TrinoServer } from './server.ts';
import { runStatement, type Session, StatementError } from './statement.ts';

/** Athena calls this the database. */
export const SCHEMA = 'analytics';
const READ_ATTEMPTS = 100;

const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'varchar',
  'text?': 'varchar',
  integer: 'integer',
  'integer?': 'integer',
  bigint: 'bigint',
  'bigint?': 'bigint',
  double: 'double',
  boolean: 'boolean',
  millis: 'bigint',
  texts: 'array(varchar)',
};

// Partition projection, as in Athena: partitions need not be registered.
const PARTITIONS = [
  `app_id varchar WITH (partition_projection_type = 'injected')`,
  `day varchar WITH (partition_projection_type = 'date', partition_projection_format = 'yyyy-MM-dd',
    partition_projection_range = ARRAY['2020-01-01', 'NOW+1DAY'])`,
];

/** The session for the tables of a server. */
export const tablesOf = (url: string): Session => ({ url, catalog: CATALOG, schema: SCHEMA });

/** Creates the tables of all apps without data. */
export async function createTables({ url, storage }: TrinoServer): Promise<void> {
  const session = tablesOf(url);
  await runStatement(session, `CREATE SCHEMA ${SCHEMA} WITH (location = 'local:///${SCHEMA}')`);
  for (const name of TABLE_NAMES) {
    await mkdir(join(storage, folderOf(name)), { recursive: true });
    await runStatement(session, createTable(name));
  }
  await untilReadable(session);
}

/** A server accepts requests shortly before its only worker knows the catalog. */
async function untilReadable(session: Session): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await runStatement(session, "SELECT count(*) FROM events WHERE app_id = '' AND day = '2020-01-01'");
      return;
    } catch (error) {
      const early = error instanceof StatementError && error.kind === 'NO_NODES_AVAILABLE';
      if (!early || attempt === READ_ATTEMPTS) throw error;
      await sleep(200);
    }
  }
}

function createTable(name: TableName): string {
  const columns = Object.entries(TABLES[name]).map(([column, type]) => `${column} ${TYPES[type]}`);
  return `CREATE TABLE ${name} (${[...columns, ...PARTITIONS].join(', ')}) WITH (
    external_location = 'local:///${folderOf(name)}', format = 'PARQUET', partitioned_by = ARRAY['app_id', 'day'],
    partition_projection_enabled = true)`;
}
