import { sql } from 'kysely';
import { type Dialect, PortableCompiler, type TableSource } from '../compiler.ts';

export const CLICKHOUSE: Dialect = {
  property_text: (map, name) => sql`multiIf(JSONType(${map}, ${name}) = 'Null', null,
    JSONType(${map}, ${name}) = 'String', JSONExtractString(${map}, ${name}), JSONExtractRaw(${map}, ${name}))`,
  property_number: (map, name) => sql`case when JSONType(${map}, ${name}) in ('Int64', 'UInt64', 'Double')
    then JSONExtractFloat(${map}, ${name}) end`,
  has_any: (list, ...values) => sql`hasAny(${list}, [${sql.join(values)}])`,
  contains: (text, part) => sql`(position(${text}, ${part}) > 0)`,
  month_start: (local) => sql`toUnixTimestamp64Milli(toDateTime64(
    toStartOfMonth(fromUnixTimestamp64Milli(toInt64(${local}), 'UTC')), 3, 'UTC'))`,
  quotient: (whole, by) => sql`intDiv(${whole}, ${by})`,
  floor_to: (whole, mask) => sql`bitAnd(${whole}, ${mask})`,
  whole_part: (number) => sql`toInt64(trunc(${number}))`,
  whole_sum: (whole) => sql`sum(toInt128(${whole}))`,
  whole_mean: (whole) => sql`(toFloat64(sum(toInt128(${whole}))) / count(${whole}))`,
  percentile: (number, share) => sql`quantileExactInclusive(${share})(${number})`,
  as_double: (number) => sql`toFloat64(${number})`,
  by_character: (text) => text,
  page: (offset, limit) => sql`limit ${limit} offset ${offset}`,
};

/** Writes values as literals: the parameters of ClickHouse need the type of each. */
export class ClickHouseCompiler extends PortableCompiler {
  constructor(source: TableSource, dialect = CLICKHOUSE) {
    super(dialect, source);
  }

  protected override appendText(text: string): void {
    // A backslash begins an escape, also inside quotes.
    this.append(`'${text.toWellFormed().replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`);
  }
}
