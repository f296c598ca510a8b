import { sql } from 'kysely';
import { type Dialect, PortableCompiler, type TableSource } from '../compiler.ts';

/** A JSON pointer, whose two escapes make any property name safe. */
const pointer = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const DUCKDB: Dialect = {
  property_text: (map, name) => sql`json_extract_string(${map}, ${pointer(name)})`,
  // A JSON text keeps its quotes, so it never casts to a number.
  property_number: (map, name) =>
    sql`try_cast(cast(json_extract(${map}, ${pointer(name)}) as varchar) as double)`,
  has_any: (list, ...values) => sql`list_has_any(${list}, list_value(${sql.join(values)}))`,
  contains: (text, part) => sql`contains(${text}, ${part})`,
  month_start: (local) => sql`epoch_ms(date_trunc('month', make_timestamp_ms(${local})))`,
  quotient: (whole, by) => sql`${whole} // ${by}`,
  floor_to: (whole, mask) => sql`${whole} & ${mask}`,
  whole_part: (number) => sql`cast(trunc(${number}) as bigint)`,
  // DuckDB sums 64-bit integers in 128 bits.
  whole_sum: (whole) => sql`sum(${whole})`,
  whole_mean: (whole) => sql`(cast(sum(${whole}) as double) / count(${whole}))`,
  percentile: (number, share) => sql`quantile_cont(${number}, ${share})`,
  as_double: (number) => sql`cast(${number} as double)`,
  by_character: (text) => text,
  page: (offset, limit) => sql`offset ${offset} limit ${limit}`,
};

export class DuckDbCompiler extends PortableCompiler {
  constructor(source?: TableSource) {
    super(DUCKDB, source);
  }

  protected override getCurrentParameterPlaceholder(): string {
    return `$${this.numParameters}`;
  }
}
