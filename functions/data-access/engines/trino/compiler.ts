import { sql } from 'kysely';
import { type Dialect, PortableCompiler, type TableSource } from '../compiler.ts';

/** A JSON path to one entry of an object, whose name may contain anything. */
const path = (name: string): string => `$["${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"]`;

const TRINO: Dialect = {
  property_text: (map, name) => sql`coalesce(
    json_extract_scalar(${map}, ${path(name)}),
    nullif(json_format(json_extract(${map}, ${path(name)})), 'null'))`,
  property_number: (map, name) => sql`case
    when json_format(json_extract(${map}, ${path(name)})) not like '"%'
    then try_cast(json_extract_scalar(${map}, ${path(name)}) as double) end`,
  has_any: (list, ...values) => sql`arrays_overlap(${list}, array[${sql.join(values)}])`,
  contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  month_start: (local) =>
    sql`cast(to_unixtime(date_trunc('month', from_unixtime(${local} / 1e3, 'UTC'))) as bigint) * 1000`,
  quotient: (whole, by) => sql`${whole} / ${by}`,
  floor_to: (whole, mask) => sql`bitwise_and(${whole}, ${mask})`,
  whole_part: (number) => sql`cast(truncate(${number}) as bigint)`,
  whole_sum: (whole) => sql`sum(cast(${whole} as decimal(38, 0)))`,
  whole_mean: (whole) => sql`avg(${whole})`,
  // Approximate: Trino has no exact percentile of a group that it can compute in pieces.
  percentile: (number, share) => sql`approx_percentile(${number}, ${share})`,
  as_double: (number) => sql`cast(${number} as double)`,
  by_character: (text) => text,
  page: (offset, limit) => sql`offset ${offset} limit ${limit}`,
};

/** The rows of an app in tables with many apps, partitioned by app and UTC day. */
export const rowsOfApp =
  (appId: string): TableSource =>
  (table, { days }) => {
    const [first, last] = (days ?? []).map(trinoLiteral);
    return `select * from ${table} where app_id = ${trinoLiteral(appId)}${days ? ` and day >= ${first} and day <= ${last}` : ''}`;
  };

/**
 * Compiles queries for Athena. Values are literals: Athena would insert its parameters into the text as well, and
 * documents them for `WHERE` only.
 */
export class TrinoCompiler extends PortableCompiler {
  constructor(source: TableSource) {
    super(TRINO, source);
  }

  protected override appendValue(value: unknown): void {
    this.append(trinoLiteral(value));
  }
}

/**
 * A value as Trino and Athena read it in a statement; safe at any place where a value may stand. A whole number that
 * fits 32 bits is an `integer` there, a larger one a `bigint`, any other a `double`.
 *
 * Throws `TypeError`, without the value, for what has no literal: NaN, the infinities, and whatever is neither text,
 * number nor boolean.
 */
export function trinoLiteral(value: unknown): string {
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return numberLiteral(value);
  throw new TypeError(`a ${typeof value} that is not a text, boolean or finite number has no literal`);
}

// Inside quotes only the quote means anything: no escapes, no comments, no parameters, not even a NUL. Half of a
// surrogate pair cannot travel as UTF-8; it becomes U+FFFD, as it does where DuckDB binds it.
const textLiteral = (text: string): string => `'${text.toWellFormed().replaceAll("'", "''")}'`;

function numberLiteral(value: number): string {
  // With an exponent, for 1.5 would be a decimal.
  const digits = Number.isSafeInteger(value) ? String(value) : value.toExponential().toUpperCase();
  // In parentheses, for `1 -` and `-1` would make a comment of all that follows.
  return value < 0 ? `(${digits})` : digits;
}
