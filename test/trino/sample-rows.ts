import type { DuckDBConnection } from '@duckdb/node-api';
import { EMPTY_TABLES_SQL } from '../../functions/data-access/engines/duckdb/schema.ts';
import { type ColumnType, TABLE_NAMES, TABLES } from '../../shared/contract/tables.ts';

const NOON = Date.UTC(2024, 1, 29, 12);
const HOURS_12 = 43_200_000;

/** The SQL of DuckDB for the value of a column in row `i`. */
const VALUES: Readonly<Record<ColumnType, string>> = {
  text: `'it''s ' || i`,
  'text?': `CASE WHEN i % 2 = 0 THEN 'é😀' END`,
  integer: 'i',
  'integer?': 'CASE WHEN i % 2 = 0 THEN i END',
  bigint: 'i * 5000000000',
  'bigint?': 'CASE WHEN i % 2 = 0 THEN i * 5000000000 END',
  double: 'i / 3',
  boolean: 'i % 2 = 0',
  millis: `${NOON} + i * ${HOURS_12}`,
  texts: `['first', 'it''s ' || i]`,
};

/** Creates the tables of an app with `count` rows each, two a day from noon of 29 February 2024. */
export async function fillTables(connection: DuckDBConnection, count: number): Promise<void> {
  await connection.run(EMPTY_TABLES_SQL);
  for (const name of TABLE_NAMES) {
    const values = Object.values(TABLES[name]).map((type) => VALUES[type]);
    await connection.run(`INSERT INTO ${name} SELECT ${values.join(', ')} FROM range(${count}) r(i)`);
  }
}
