import {
  COLUMNS_OF,
  type SqlApp,
  type SqlColumn,
  type SqlPartition,
  type SqlProperties,
  type SqlTable,
  type SqlTableName,
} from '../../../shared/config/sql-tables.ts';
import type { RowType } from '../../../shared/contract/tables.ts';
import { ConfigError } from '../../../shared/runtime/errors.ts';
import { didYouMean } from '../../../shared/text/nearest-words.ts';
import type { Cell } from '../engines/engine.ts';
import { type FoundColumn, SqlRejected, type TableReader } from '../engines/table-reader.ts';
import { type Kind, quotedName, type TypedSql } from '../engines/table-sql.ts';
import {
  beginsWithDay,
  type CheckedPartition,
  type CheckedTable,
  type CheckedTables,
  formatOf,
} from './checked-tables.ts';

/** The table to check, and its place in the configuration: `apps.shop.events`. */
interface Source {
  readonly reader: TableReader;
  readonly place: string;
  readonly label: string;
  readonly from: string;
}
type Kinds = ReadonlyMap<string, Kind>;
/** With the kinds of its expressions. */
type Subject = Source & { readonly kinds: Kinds };

const TABLE_NAMES = ['events', 'sessions', 'users', 'screen_visits'] as const satisfies SqlTableName[];

/**
 * Looks up the columns of all tables of an app, without reading rows.
 * @throws ConfigError for a missing table or column, or a column of another type.
 */
export async function checkTables(appId: string, app: SqlApp, reader: TableReader): Promise<CheckedTables> {
  const check = async (name: SqlTableName) => {
    const table = app[name];
    return table && checkTable(name, table, { reader, place: `apps.${appId}.${name}` });
  };
  const [events, sessions, users, screen_visits] = await together(TABLE_NAMES.map(check));
  if (!events) throw new TypeError('an app without events');
  return { events, sessions, users, screen_visits };
}

/** The results in order. If several fail, the first failure in order, so that the message is always the same. */
async function together<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const outcomes = await Promise.allSettled(work);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

async function checkTable(
  name: SqlTableName,
  table: SqlTable,
  { reader, place }: Pick<Subject, 'reader' | 'place'>,
): Promise<CheckedTable> {
  const source = { reader, place, ...sourceOf(table, reader, place) };
  const found = await described(`select * from ${source.from} limit 0`, source.label, source);
  const subject = { ...source, kinds: await kindsOf(table, source) };
  const checkColumn = async ([column, given]: [string, SqlProperties]) => {
    const at = { ...subject, place: `${place}.columns.${column}` };
    const type = typeOf(name, column);
    const sql = await expressionOf(given, found, at);
    requireFit(type, sql, at);
    if (type === 'millis' && sql.kind === 'number') await requireMillis(sql, at);
    return [column, sql] as const;
  };
  const columns = new Map(await together(Object.entries(table.columns).map(checkColumn)));
  const partition = table.partition && (await checkPartition(table.partition, found, subject));
  return { from: subject.from, columns, partition };
}

type Wanted = RowType | 'json' | 'day';
const typeOf = (table: SqlTableName, column: string): Wanted =>
  ['properties', 'user_properties'].includes(column)
    ? 'json'
    : ((COLUMNS_OF[table] as Readonly<Record<string, RowType>>)[column] ?? 'text');

function sourceOf({ table, files }: SqlTable, { dialect, engine }: TableReader, place: string) {
  if (files !== undefined) {
    if (!dialect.files) throw new ConfigError(`${place}.files: ${engine} reads no files: name a table`);
    return { label: files, from: dialect.files(files) };
  }
  if (typeof table === 'object') return { label: 'the SELECT', from: `(${table.sql}) as given` };
  const name = table ?? '';
  return { label: name, from: name.split('.').map(quotedName).join('.') };
}

/** The columns of a SELECT of `what`. */
async function described(
  select: string,
  what: string,
  { reader, place }: Source,
): Promise<readonly FoundColumn[]> {
  try {
    return await reader.describe(select);
  } catch (error) {
    if (!(error instanceof SqlRejected)) throw error;
    throw new ConfigError(`${place}: ${reader.engine} cannot read ${what}: ${error.message}`);
  }
}

/** Asks for all at once. None if one is wrong, which is then found by asking for each. */
async function kindsOf({ columns }: SqlTable, { reader, from }: Source): Promise<Kinds> {
  const expressions = Object.values(columns)
    .flatMap((given) => (typeof given === 'string' || isExpression(given) ? given : Object.values(given)))
    .flatMap((given) => (typeof given === 'string' ? [] : given.sql));
  if (expressions.length < 2) return new Map();
  try {
    const list = expressions.map((sql, at) => `(${sql}) as value${at}`).join(', ');
    const found = await reader.describe(`select ${list} from ${from} limit 0`);
    return new Map(expressions.map((sql, at) => [sql, found[at]?.kind ?? 'other']));
  } catch (error) {
    if (error instanceof SqlRejected) return new Map();
    throw error;
  }
}

async function expressionOf(
  given: SqlProperties,
  found: readonly FoundColumn[],
  subject: Subject,
): Promise<TypedSql> {
  if (typeof given === 'string' || isExpression(given)) return columnOf(given, found, subject);
  const propertyOf = async ([name, column]: [string, SqlColumn]) => {
    const at = { ...subject, place: `${subject.place}.${name}` };
    return [name, await columnOf(column, found, at)] as const;
  };
  const properties = await together(Object.entries(given).map(propertyOf));
  return subject.reader.dialect.jsonObject(properties);
}

const isExpression = (given: Exclude<SqlProperties, string>): given is Exclude<SqlColumn, string> =>
  typeof given.sql === 'string' && Object.keys(given).length === 1;

async function columnOf(
  column: SqlColumn,
  found: readonly FoundColumn[],
  subject: Subject,
): Promise<TypedSql> {
  const { place, label, from, kinds } = subject;
  if (typeof column === 'string') {
    const known = found.find(({ name }) => name === column);
    if (known) return { sql: quotedName(column), kind: known.kind };
    const names = found.map(({ name }) => name);
    const near = didYouMean(column, names);
    throw new ConfigError(
      `${place}: ${label} has no column "${column}"${near ? `${near} Its` : '; its'} columns are ${names.join(', ')}`,
    );
  }
  const sql = `(${column.sql})`;
  const kind = kinds.get(column.sql);
  if (kind) return { sql, kind };
  const [value] = await described(`select ${sql} as value from ${from} limit 0`, 'the expression', subject);
  return { sql, kind: value?.kind ?? 'other' };
}

const FITTING: Readonly<Record<Exclude<Wanted, 'text' | 'text?'>, readonly [Kind[], string]>> = {
  millis: [['timestamp', 'timestamptz', 'date', 'number'], 'a timestamp, or a number of milliseconds'],
  integer: [['number'], 'a number'],
  'integer?': [['number'], 'a number'],
  double: [['number'], 'a number'],
  boolean: [['boolean'], 'true or false'],
  texts: [['texts'], 'a list of texts'],
  json: [['json', 'text'], 'a JSON object'],
  day: [['date', 'timestamp', 'timestamptz', 'text', 'number'], 'a day'],
};

function requireFit(type: Wanted, { kind, sql }: TypedSql, { place }: Subject): void {
  if (type === 'text' || type === 'text?') return;
  const [kinds, wanted] = FITTING[type];
  if (kinds.includes(kind)) return;
  throw new ConfigError(`${place}: ${sql} must be ${wanted}: use { sql: "an expression" }`);
}

async function checkPartition(
  { day, ...partition }: SqlPartition,
  found: readonly FoundColumn[],
  subject: Subject,
): Promise<CheckedPartition> {
  const at = { ...subject, place: `${subject.place}.partition.day` };
  const sql = await columnOf(day, found, at);
  requireFit('day', sql, at);
  const format = formatOf(sql.kind, partition.format);
  if (sql.kind === 'text' || sql.kind === 'number') await requireDay(sql, format, at);
  return { day: sql, ...partition, format };
}

async function requireDay(sql: TypedSql, format: SqlPartition['format'], subject: Subject): Promise<void> {
  const value = await firstValue(sql, subject);
  if (value === undefined || beginsWithDay(String(value), format)) return;
  throw new ConfigError(
    `${subject.place}: ${value} is not a day of the format ${format}: set format, or use { sql: "an expression" }`,
  );
}

async function firstValue({ sql }: TypedSql, { reader, from }: Subject): Promise<Cell | undefined> {
  const value = await reader.first(`select ${sql} as value from ${from} where ${sql} is not null limit 1`);
  return value === null ? undefined : value;
}

const EARLIEST = Date.UTC(1990);
const LATEST = Date.UTC(2100);

/**
 * Milliseconds since 1970, from a number that counts them, or seconds, microseconds or nanoseconds; `undefined` if
 * `at`, one of its values, is then not in the years 1990 to 2099.
 */
export function millisOf(sql: string, at: number): string | undefined {
  const inMillis = (factor: number) => at * factor >= EARLIEST && at * factor < LATEST;
  if (inMillis(1)) return sql;
  const whole = `cast(${sql} as bigint)`;
  if (inMillis(1000)) return `${whole} * 1000`;
  const divisor = [1e3, 1e6].find((each) => inMillis(1 / each));
  return divisor === undefined ? undefined : `${whole} / ${divisor}`;
}

async function requireMillis({ sql }: TypedSql, subject: Subject): Promise<void> {
  const value = await firstValue({ sql, kind: 'number' }, subject);
  const millis = value === undefined ? sql : millisOf(sql, Number(value));
  if (millis === sql) return;
  throw new ConfigError(
    `${subject.place}: ${value} is not a time in milliseconds since 1970: use { sql: '${millis ?? 'an expression'}' }`,
  );
}
