import { FromNode, sql, type TableNode } from 'kysely';
import { TABLE_NAMES } from '../../../shared/analytics/tables.ts';
import { type Dialect, PortableCompiler } from './compiler.ts';
import { trinoLiteral } from './trino-literals.ts';

/** A JSON path to one entry of an object, whose name may contain anything. */
const path = (name: string): string => `$["${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"]`;

const TRINO: Dialect = {
  property_text: (map, name) => sql`coalesce(
    json_extract_scalar(${map}, ${path(name)}),
    nullif(json_format(json_extract(${map}, ${path(name)})), 'null'))`,
  property_number: (map, name) => sql`case
    when json_format(json_extract(${map}, ${path(name)})) not like '"%'
    then try_cast(json_extract_scalar(${map}, ${path(name)}) as double) end`,
  has_any: (list, values) => sql`arrays_overlap(${list}, array[${sql.join(values)}])`,
  contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  month_start: (local) =>
    sql`cast(to_unixtime(date_trunc('month', from_unixtime(${local} / 1e3, 'UTC'))) as bigint) * 1000`,
  quotient: (whole, by) => sql`${whole} / ${by}`,
  floor_to: (whole, mask) => sql`bitwise_and(${whole}, ${mask})`,
  whole_part: (number) => sql`cast(truncate(${number}) as bigint)`,
  whole_sum: (whole) => sql`sum(cast(${whole} as decimal(38, 0)))`,
  in_days: (first, last) => sql`(day >= ${first} and day <= ${last})`,
};

/**
 * Compiles queries for Athena, over tables with many apps, partitioned by app and UTC day. Values are literals: Athena
 * would insert its parameters into the text as well, and documents them for `WHERE` only.
 */
export class TrinoCompiler extends PortableCompiler {
  readonly #appId: string;

  constructor(appId: string) {
    super(TRINO);
    this.#appId = appId;
  }

  /** Restricts every table of a query to the app. */
  protected override visitTable(node: TableNode): void {
    const { name } = node.table.identifier;
    const isRead = this.parentNode !== undefined && FromNode.is(this.parentNode);
    if (!isRead || !TABLE_NAMES.some((table) => table === name)) {
      super.visitTable(node);
      return;
    }
    this.append('(select * from ');
    super.visitTable(node);
    this.append(' where app_id = ');
    this.appendValue(this.#appId);
    this.append(') as ');
    super.visitTable(node);
  }

  protected override appendValue(value: unknown): void {
    this.append(trinoLiteral(value));
  }
}
