import {
  type Columns,
  type ColumnType,
  LAYOUT_VERSION,
  TABLE_NAMES,
  TABLES,
} from '../../../shared/analytics/tables.ts';

const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'VARCHAR NOT NULL',
  'text?': 'VARCHAR',
  integer: 'INTEGER NOT NULL',
  'integer?': 'INTEGER',
  double: 'DOUBLE NOT NULL',
  boolean: 'BOOLEAN NOT NULL',
  millis: 'BIGINT NOT NULL',
  texts: 'VARCHAR[] NOT NULL',
};

/** The columns of a table as `CREATE TABLE` takes them. */
export const columnsSql = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${TYPES[type]}`)
    .join(', ');

/** The tables of one app's DuckDB file (`<data dir>/<app id>.duckdb`), and the version of their layout. */
export const SCHEMA_SQL = [
  ...TABLE_NAMES.map((name) => `CREATE TABLE ${name} (${columnsSql(TABLES[name])})`),
  `CREATE TABLE layout AS SELECT ${LAYOUT_VERSION} AS version`,
].join(';\n');
