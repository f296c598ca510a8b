import { DAY_MS } from '../../../shared/units/durations.ts';

/** What a column holds, as far as reading it depends on it. */
export type Kind =
  | 'text'
  | 'texts'
  | 'number'
  | 'boolean'
  | 'json'
  | 'timestamp'
  | 'timestamptz'
  | 'date'
  | 'other';

/** An expression over the columns of a table. */
export interface TypedSql {
  readonly sql: string;
  readonly kind: Kind;
}

/** The SQL of one engine for reading the tables of a team. */
export interface TableDialect {
  readonly textType: string;
  readonly doubleType: string;
  /** Of 64 bits. */
  readonly wholeType: string;
  readonly textsType: string;
  /** A list without texts. */
  readonly noTexts: string;
  /** A text or NULL, if the engine's tables hold an empty text for NULL. */
  text?(sql: string): string;
  /** Milliseconds since the epoch. A timestamp without a zone is UTC. */
  millis(time: TypedSql): string;
  /** The start of a UTC day, `days` after `day`, as a literal that compares with a column of this kind. */
  dayStart(kind: Kind, day: string, days: number): string;
  /** A JSON object, from a column with one. */
  json(map: TypedSql): string;
  /** A JSON object with these properties, as JSON or as text. */
  jsonObject(properties: readonly (readonly [name: string, value: TypedSql])[]): TypedSql;
  /** A short text that is the same for the same text. */
  hash(text: string): string;
  /** A text that sorts by code point. */
  byCharacter(text: string): string;
  /** The first item of a list, or NULL. */
  firstOf(list: string): string;
  /** The first value of a window, which may be NULL. */
  firstValue(value: string, over: string): string;
  /** The values of a group for which `where` holds, as a list in this order. */
  listOf(value: string, rows: { readonly where: string; readonly order: readonly string[] }): string;
  /** A table of files, if the engine reads files. */
  files?(pattern: string): string;
}

export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const quotedText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export const dayAfter = (day: string, days: number): string =>
  new Date(Math.min(Date.parse(day) + days * DAY_MS, LAST_DAY)).toISOString().slice(0, 10);
/** The last day that dates of all engines can hold with four digits. */
const LAST_DAY = Date.parse('9999-12-31');

/** What standard SQL says, for lists of this type. */
export const standardLists = (
  textsType: string,
): Pick<TableDialect, 'textsType' | 'wholeType' | 'noTexts' | 'firstValue' | 'listOf'> => {
  const noTexts = `cast(array[] as ${textsType})`;
  return {
    textsType,
    wholeType: 'bigint',
    noTexts,
    firstValue: (value, over) => `first_value(${value}) ${over}`,
    listOf: (value, { where, order }) =>
      `coalesce(array_agg(${value} order by ${order.join(', ')}) filter (where ${where}), ${noTexts})`,
  };
};

/** The start of a day, with the literals of standard SQL but for a timestamp with a zone. */
export const dayStarts =
  (withZone: (date: string) => string): TableDialect['dayStart'] =>
  (kind, day, days) => {
    const date = dayAfter(day, days);
    if (kind === 'date') return `date '${date}'`;
    if (kind === 'timestamp') return `timestamp '${date} 00:00:00'`;
    if (kind === 'timestamptz') return withZone(date);
    return `(${Date.parse(date)})`;
  };
export const dayLiteral = dayStarts((date) => `timestamp with time zone '${date} 00:00:00+00'`);
