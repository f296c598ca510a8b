import {
  createQueryId,
  DefaultQueryCompiler,
  type Expression,
  ExpressionWrapper,
  type FunctionNode,
  type OperationNode,
  type RootOperationNode,
  ValueNode,
} from 'kysely';
import type { Tables } from '../../../shared/analytics/tables.ts';
import type { Query } from './query.ts';

type Batch = Expression<unknown>;

/** The SQL of one engine for each function of `portable`. */
export interface Dialect {
  property_text(map: Batch, name: string): Batch;
  property_number(map: Batch, name: string): Batch;
  has_any(list: Batch, values: readonly Batch[]): Batch;
  contains(text: Batch, part: Batch): Batch;
  month_start(local: Batch): Batch;
  quotient(whole: Batch, by: Batch): Batch;
  /** `mask` is the negated power of two, whose bits are kept. */
  floor_to(whole: Batch, mask: Batch): Batch;
  whole_part(number: Batch): Batch;
  whole_sum(whole: Batch): Batch;
  in_days(first: Batch, last: Batch): Batch;
}

/** Compiles queries to the SQL of a dialect. */
export abstract class PortableCompiler extends DefaultQueryCompiler {
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    super();
    this.#dialect = dialect;
  }

  compile(query: Query): { readonly sql: string; readonly parameters: readonly unknown[] } {
    return this.compileQuery(query.toOperationNode() as RootOperationNode, createQueryId());
  }

  protected override visitFunction(node: FunctionNode): void {
    const said = this.#say(node);
    if (said) this.visitNode(said.toOperationNode());
    else super.visitFunction(node);
  }

  #say({ func, arguments: given }: FunctionNode): Batch | undefined {
    const [first, second] = given;
    if (first === undefined) return undefined;
    const one = batchOf(first);
    switch (func) {
      case 'property_text':
      case 'property_number':
        return this.#dialect[func](one, textOf(second));
      case 'has_any':
        return this.#dialect.has_any(one, given.slice(1).map(batchOf));
      case 'contains':
      case 'in_days':
      case 'quotient':
      case 'floor_to':
        return this.#dialect[func](one, batchOf(second ?? first));
      case 'month_start':
      case 'whole_part':
      case 'whole_sum':
        return this.#dialect[func](one);
      default:
        return undefined;
    }
  }
}

const batchOf = (node: OperationNode): Batch => new ExpressionWrapper<Tables, never, unknown>(node);

function textOf(node: OperationNode | undefined): string {
  if (node && ValueNode.is(node) && typeof node.value === 'string') return node.value;
  throw new TypeError('the name of a property is not a text');
}
