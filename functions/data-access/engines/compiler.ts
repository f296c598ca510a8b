import {
  type ColumnNode,
  createQueryId,
  DefaultQueryCompiler,
  type Expression,
  ExpressionWrapper,
  FromNode,
  FunctionNode,
  type OperationNode,
  RawNode,
  type RootOperationNode,
  SelectQueryNode,
  sql,
  type TableNode,
  ValueNode,
} from 'kysely';
import { TABLE_NAMES, type TableName, type Tables } from '../../../shared/contract/tables.ts';
import type { Query } from './query.ts';

type Batch = Expression<unknown>;

/** The SQL of one engine for each function of `portable`. */
export interface Dialect {
  property_text(map: Batch, name: string): Batch;
  property_number(map: Batch, name: string): Batch;
  has_any(list: Batch, ...values: readonly Batch[]): Batch;
  contains(text: Batch, part: Batch): Batch;
  month_start(local: Batch): Batch;
  quotient(whole: Batch, by: Batch): Batch;
  /** `mask` is the negated power of two, whose bits are kept. */
  floor_to(whole: Batch, mask: Batch): Batch;
  whole_part(number: Batch): Batch;
  whole_sum(whole: Batch): Batch;
  whole_mean(whole: Batch): Batch;
  /** Interpolated between the two nearest numbers, or approximate. */
  percentile(number: Batch, share: Batch): Batch;
  as_double(number: Batch): Batch;
  by_character(text: Batch): Batch;
  /** A clause at the end of a SELECT. */
  page(offset: Batch, limit: Batch): Batch;
}

/** The part of a table that a query reads. */
export interface TablePart {
  /** At least the columns that it reads of this table. */
  readonly columns: ReadonlySet<string>;
  /** The first and last UTC day of the rows, if it reads only some days. */
  readonly days?: readonly [first: string, last: string] | undefined;
}

/** The rows of a table as a SELECT. It may return more rows and columns than the part. */
export type TableSource = (table: TableName, part: TablePart) => string;

/** Compiles queries to the SQL of a dialect, over tables with their own names or from a source. */
export abstract class PortableCompiler extends DefaultQueryCompiler {
  readonly #dialect: Dialect;
  readonly #source: TableSource | undefined;
  readonly #columns = new Set<string>();

  constructor(dialect: Dialect, source?: TableSource) {
    super();
    this.#dialect = dialect;
    this.#source = source;
  }

  compile(query: Query): { readonly sql: string; readonly parameters: readonly unknown[] } {
    const root = query.toOperationNode() as RootOperationNode;
    // A source needs the columns of the whole query, which only a first pass finds.
    if (this.#source) this.compileQuery(root, createQueryId());
    return this.compileQuery(root, createQueryId());
  }

  /** Binds texts, unless an engine writes them too. From the numbers, a planner sees which rows a window has. */
  protected override appendValue(value: unknown): void {
    if (typeof value === 'string') this.appendText(value);
    else if (typeof value === 'boolean') this.append(String(value));
    else if (typeof value === 'number' && Number.isFinite(value)) this.append(this.#numberLiteral(value));
    else throw new TypeError('a value that is not a text, number or boolean');
  }

  protected appendText(text: string): void {
    super.appendValue(text);
  }

  #numberLiteral(value: number): string {
    const digits = Number.isSafeInteger(value) ? String(value) : this.doubleLiteral(value.toExponential());
    // In parentheses, because `1 -` and `-1` would begin a comment.
    return value < 0 ? `(${digits})` : digits;
  }

  /** With an exponent: without one, it would be a decimal of few digits. */
  protected doubleLiteral(exponential: string): string {
    return exponential.toUpperCase();
  }

  protected override visitColumn(node: ColumnNode): void {
    this.#columns.add(node.column.name);
    super.visitColumn(node);
  }

  protected override visitTable(node: TableNode): void {
    const table = TABLE_NAMES.find((name) => name === node.table.identifier.name);
    const isRead = this.parentNode !== undefined && FromNode.is(this.parentNode);
    if (!this.#source || !isRead || table === undefined) {
      super.visitTable(node);
      return;
    }
    const query = this.nodeStack.findLast((above) => SelectQueryNode.is(above));
    const days = daysIn(query?.where?.where);
    this.append(`(${this.#source(table, { columns: this.#columns, days })}) as `);
    super.visitTable(node);
  }

  protected override visitFunction(node: FunctionNode): void {
    const said = this.#say(node);
    if (said) this.visitNode(said.toOperationNode());
    else super.visitFunction(node);
  }

  #say({ func, arguments: given }: FunctionNode): Batch | undefined {
    // Only for the source; see `daysIn`.
    if (func === 'in_days') return sql`true`;
    if (!Object.hasOwn(this.#dialect, func)) return undefined;
    const [map, name] = given;
    if (map && (func === 'property_text' || func === 'property_number'))
      return this.#dialect[func](batchOf(map), textOf(name));
    const say = this.#dialect[func as keyof Dialect] as (...given: readonly Batch[]) => Batch;
    return say(...given.map(batchOf));
  }
}

/** The days of `portable.inDays` among conditions that are ANDed. */
function daysIn(node: OperationNode | undefined): TablePart['days'] {
  if (node === undefined) return undefined;
  if (FunctionNode.is(node) && node.func === 'in_days') {
    const [first, last] = node.arguments.map(textOf);
    return first !== undefined && last !== undefined ? [first, last] : undefined;
  }
  if (!RawNode.is(node)) return undefined;
  for (const part of node.parameters) {
    const days = daysIn(part);
    if (days) return days;
  }
  return undefined;
}

const batchOf = (node: OperationNode): Batch => new ExpressionWrapper<Tables, never, unknown>(node);

function textOf(node: OperationNode | undefined): string {
  if (node && ValueNode.is(node) && typeof node.value === 'string') return node.value;
  throw new TypeError('the name of a property or day is not a text');
}
