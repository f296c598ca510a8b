import { type ColumnType, ROWS } from '../../../shared/contract/tables.ts';
import { quotedName, type TableDialect, type TypedSql } from '../engines/table-sql.ts';
import { type CheckedTable, isInPartitions } from './checked-tables.ts';

const TYPES: Readonly<Record<string, ColumnType>> = Object.assign({}, ...Object.values(ROWS));
const JSON_COLUMNS = ['properties', 'user_properties'];

/** The value of a column of `ROWS`; NULL, an empty JSON object or `web` where the table has none. */
export function cell(name: string, { columns }: CheckedTable, dialect: TableDialect): string {
  const given = columns.get(name);
  if (JSON_COLUMNS.includes(name)) return dialect.json(given ?? { sql: "'{}'", kind: 'text' });
  if (name === 'platform') return given ? `coalesce(lower(${textOrNull(given, dialect)}), 'web')` : "'web'";
  if (given === undefined)
    return TYPES[name] === 'texts' ? dialect.noTexts : `cast(null as ${typeName(name, dialect)})`;
  switch (TYPES[name]) {
    case 'millis':
      return dialect.millis(given);
    case 'integer':
    case 'integer?':
    case 'double':
      return `cast(${given.sql} as ${typeName(name, dialect)})`;
    case 'boolean':
    case 'texts':
      return given.sql;
    default:
      // The primary key of a table often begins with the name.
      return name === 'event_name' ? textOf(given, dialect) : textOrNull(given, dialect);
  }
}

const textOrNull = (given: TypedSql, dialect: TableDialect): string =>
  dialect.text?.(given.sql) ?? textOf(given, dialect);

/** A text stays as it is, so that an index of the table can be used. */
const textOf = ({ sql, kind }: TypedSql, { textType }: TableDialect): string =>
  kind === 'text' ? sql : `cast(${sql} as ${textType})`;

function typeName(name: string, { textType, doubleType: double, wholeType }: TableDialect): string {
  const whole = { millis: wholeType, integer: wholeType, 'integer?': wholeType };
  const types: Readonly<Record<string, string>> = { ...whole, double, boolean: 'boolean' };
  return types[TYPES[name] ?? ''] ?? textType;
}

/** Cells with the names of their columns, as a SELECT lists them. */
export const cells = (names: Iterable<string>, table: CheckedTable, dialect: TableDialect): string[] =>
  [...names].map((name) => `${cell(name, table, dialect)} as ${quotedName(name)}`);

/** The cells of an event that its table may lack: the time of upload and the id. */
export function eventCell(name: string, events: CheckedTable, dialect: TableDialect): string {
  const own = (column: string) => cell(column, events, dialect);
  if (events.columns.has(name)) return own(name);
  if (name === 'uploaded_at') return own('recorded_at');
  if (name !== 'event_id') return own(name);
  const parts = [own('user_id'), own('event_name'), `cast(${own('recorded_at')} as ${dialect.textType})`];
  return dialect.hash(parts.map((part) => `coalesce(${part}, '')`).join(` || ' ' || `));
}

/** Whether a row is of one of the days, by the column of the table itself, so that an index can be used. */
export function isOfDays(
  days: readonly [string, string],
  { columns, partition }: CheckedTable,
  dialect: TableDialect,
): string {
  const time = columns.get('recorded_at');
  if (time === undefined) return 'true';
  const [first, last] = days;
  const bound = (day: string, more: number) => dialect.dayStart(time.kind, day, more);
  const inPartitions = partition ? ` and ${isInPartitions(days, partition, dialect)}` : '';
  return `(${time.sql} >= ${bound(first, 0)} and ${time.sql} < ${bound(last, 1)}${inPartitions})`;
}
