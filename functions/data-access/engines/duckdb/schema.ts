import {
  type Columns,
  type ColumnType,
  LAYOUT_VERSION,
  ROWS_TABLES,
  TABLE_NAMES,
  TABLES,
  type TableName,
} from '../../../../shared/contract/tables.ts';

const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'VARCHAR NOT NULL',
  'text?': 'VARCHAR',
  integer: 'INTEGER NOT NULL',
  'integer?': 'INTEGER',
  bigint: 'BIGINT NOT NULL',
  'bigint?': 'BIGINT',
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

const tablesSql = (names: readonly TableName[]): string[] =>
  names.map((name) => `CREATE TABLE ${name} (${columnsSql(TABLES[name])})`);

/** The tables with the rows of one app in its DuckDB file (`<data dir>/<app id>.duckdb`), and the version of their layout. */
export const SCHEMA_SQL = [
  ...tablesSql(ROWS_TABLES),
  `CREATE TABLE layout AS SELECT ${LAYOUT_VERSION} AS version`,
].join(';\n');

/** All tables of an app without data. */
export const EMPTY_TABLES_SQL = tablesSql(TABLE_NAMES).join(';\n');
