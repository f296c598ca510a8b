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

type Piece = Expression<unknown>;

/** The SQL of one engine for each function of `portable`. */
export interface Dialect {
  property_text(map: Piece, name: string): Piece;
  property_number(map: Piece, name: string): Piece;
  has_any(list: Piece, values: readonly Piece[]): Piece;
  contains(text: Piece, part: Piece): Piece;
  month_start(local: Piece): Piece;
  quotient(whole: Piece, by: Piece): Piece;
  /** `mask` is the negated power of two, whose bits are kept. */
  floor_to(whole: Piece, mask: Piece): Piece;
  whole_part(number: Piece): Piece;
  whole_sum(whole: Piece): Piece;
  in_days(first: Piece, last: Piece): Piece;
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

  #say({ func, arguments: given }: FunctionNode): Piece | undefined {
    const [first, second] = given;
    if (first === undefined) return undefined;
    const one = pieceOf(first);
    switch (func) {
      case 'property_text':
      case 'property_number':
        return this.#dialect[func](one, textOf(second));
      case 'has_any':
        return this.#dialect.has_any(one, given.slice(1).map(pieceOf));
      case 'contains':
      case 'in_days':
      case 'quotient':
      case 'floor_to':
        return this.#dialect[func](one, pieceOf(second ?? first));
      case 'month_start':
      case 'whole_part':
      case 'whole_sum':
        return this.#dialect[func](one);
      default:
        return undefined;
    }
  }
}

const pieceOf = (node: OperationNode): Piece => new ExpressionWrapper<Tables, never, unknown>(node);

function textOf(node: OperationNode | undefined): string {
  if (node && ValueNode.is(node) && typeof node.value === 'string') return node.value;
  throw new TypeError('the name of a property is not a text');
}
