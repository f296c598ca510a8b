import type { DuckDBConnection } from '@duckdb/node-api';
import { SCHEMA_SQL } from '../../functions/data-access/engines/duckdb-schema.ts';
import { type ColumnType, TABLE_NAMES, TABLES } from '../../shared/analytics/tables.ts';

const NOON = Date.UTC(2024, 1, 29, 12);
const HOURS_12 = 43_200_000;

/** What row `i` holds in a column, as DuckDB works it out. */
const VALUES: Readonly<Record<ColumnType, string>> = {
  text: `'it''s ' || i`,
  'text?': `CASE WHEN i % 2 = 0 THEN 'é😀' END`,
  integer: 'i',
  'integer?': 'CASE WHEN i % 2 = 0 THEN i END',
  double: 'i / 3',
  boolean: 'i % 2 = 0',
  millis: `${NOON} + i * ${HOURS_12}`,
  texts: `['first', 'it''s ' || i]`,
};

/** Makes the tables of an app and gives each `count` rows, from noon of 29 February 2024 on, two a day. */
export async function fillTables(connection: DuckDBConnection, count: number): Promise<void> {
  await connection.run(SCHEMA_SQL);
  for (const name of TABLE_NAMES) {
    const values = Object.values(TABLES[name]).map((type) => VALUES[type]);
    await connection.run(`INSERT INTO ${name} SELECT ${values.join(', ')} FROM range(${count}) r(i)`);
  }
}
