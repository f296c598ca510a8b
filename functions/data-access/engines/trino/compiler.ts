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
    const [first, last] = (days ?? []).map(textLiteral);
    return `select * from ${table} where app_id = ${textLiteral(appId)}${days ? ` and day >= ${first} and day <= ${last}` : ''}`;
  };

/**
 * Compiles queries for Athena. Texts are literals: Athena would insert its parameters into the text as well, and
 * documents them for `WHERE` only.
 */
export class TrinoCompiler extends PortableCompiler {
  constructor(source: TableSource) {
    super(TRINO, source);
  }

  protected override appendText(text: string): void {
    this.append(textLiteral(text));
  }
}

/**
 * Inside quotes only the quote means anything: no escapes, no comments, no parameters, not even a NUL. Half of a
 * surrogate pair cannot travel as UTF-8; it becomes U+FFFD, as it does where DuckDB binds it.
 */
const textLiteral = (text: string): string => `'${text.toWellFormed().replaceAll("'", "''")}'`;
