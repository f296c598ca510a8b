import { sql } from 'kysely';
import { QueryLimitError } from '../../../../shared/runtime/errors.ts';
import { type Dialect, PortableCompiler, type TableSource } from '../compiler.ts';

/** The protocol counts the parameters of a statement in 16 bits. */
const MAX_PARAMETERS = 65_535;

const POSTGRES: Dialect = {
  property_text: (map, name) => sql`(${map} ->> ${name})`,
  // A JSON number may be too large or too small for a double, which would fail the whole query.
  property_number: (map, name) => sql`case when jsonb_typeof(cast(${map} -> ${name} as jsonb)) = 'number' then
    case when abs(cast(${map} ->> ${name} as numeric)) < 1e-307 then 0
      when abs(cast(${map} ->> ${name} as numeric)) < 1e308 then cast(${map} ->> ${name} as double precision) end end`,
  has_any: (list, ...values) => sql`(${list} && array[${sql.join(values)}])`,
  contains: (text, part) => sql`(strpos(${text}, ${part}) > 0)`,
  month_start: (local) =>
    sql`cast(extract(epoch from date_trunc('month', to_timestamp(${local} / 1e3) at time zone 'UTC')) * 1000 as bigint)`,
  quotient: (whole, by) => sql`${whole} / ${by}`,
  floor_to: (whole, mask) => sql`(${whole} & cast(${mask} as bigint))`,
  whole_part: (number) => sql`cast(trunc(${number}) as bigint)`,
  // PostgreSQL sums 64-bit integers as decimals of any size.
  whole_sum: (whole) => sql`sum(${whole})`,
  // The mean of integers is a decimal of few digits. Sums of integers are exact in doubles too.
  whole_mean: (whole) => sql`avg(cast(${whole} as double precision))`,
  percentile: (number, share) => sql`percentile_cont(${share}) within group (order by ${number})`,
  as_double: (number) => sql`cast(${number} as double precision)`,
  // The collation of the database may sort by language.
  by_character: (text) => sql`${text} collate "C"`,
  page: (offset, limit) => sql`offset ${offset} limit ${limit}`,
};

export class PostgresCompiler extends PortableCompiler {
  constructor(source: TableSource) {
    super(POSTGRES, source);
  }

  protected override appendText(text: string): void {
    // No text of PostgreSQL holds a NUL or half of a surrogate pair, and it rejects a statement that has one.
    super.appendText(text.toWellFormed().replaceAll('\0', '\ufffd'));
  }

  protected override doubleLiteral(exponential: string): string {
    return `cast(${exponential} as double precision)`;
  }

  protected override getCurrentParameterPlaceholder(): string {
    if (this.numParameters > MAX_PARAMETERS)
      throw new QueryLimitError(`the filters have more than ${MAX_PARAMETERS} values`);
    return `$${this.numParameters}::text`;
  }
}
