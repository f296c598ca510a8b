import { sql } from 'kysely';
import { type Dialect, PortableCompiler } from './compiler.ts';

/** A JSON pointer, whose two escapes make any property name safe. */
const pointer = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const DUCKDB: Dialect = {
  property_text: (map, name) => sql`json_extract_string(${map}, ${pointer(name)})`,
  // A text keeps its quotes in JSON, so it is never taken for a number.
  property_number: (map, name) =>
    sql`try_cast(cast(json_extract(${map}, ${pointer(name)}) as varchar) as double)`,
  has_any: (list, values) => sql`list_has_any(${list}, list_value(${sql.join(values)}))`,
  contains: (text, part) => sql`contains(${text}, ${part})`,
  month_start: (local) => sql`epoch_ms(date_trunc('month', make_timestamp_ms(${local})))`,
  quotient: (whole, by) => sql`${whole} // ${by}`,
  floor_to: (whole, mask) => sql`${whole} & ${mask}`,
  whole_part: (number) => sql`cast(trunc(${number}) as bigint)`,
  // Of 64 bits a sum has 128.
  whole_sum: (whole) => sql`sum(${whole})`,
  in_days: () => sql`true`,
};

/** Texts are bound; numbers are written out, so that a plan can pass over what lies outside a window. */
export class DuckDbCompiler extends PortableCompiler {
  constructor() {
    super(DUCKDB);
  }

  protected override appendValue(value: unknown): void {
    if (typeof value === 'string') super.appendValue(value);
    else if (typeof value === 'boolean' || Number.isFinite(value)) this.append(literal(value));
    else throw new TypeError('a value that is no text, number or boolean');
  }

  protected override getCurrentParameterPlaceholder(): string {
    return `$${this.numParameters}`;
  }
}

/** A fraction with an exponent is a DOUBLE, without one a DECIMAL of few digits. */
const literal = (value: unknown): string =>
  typeof value === 'number' && !Number.isSafeInteger(value) ? value.toExponential() : String(value);
