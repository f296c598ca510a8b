import {
  type AliasedExpression,
  DummyDriver,
  type Expression,
  expressionBuilder,
  Kysely,
  type OperationNodeSource,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type SqlBool,
  sql,
} from 'kysely';
import type { TableName, Tables } from '../../../shared/analytics/tables.ts';

/** A query as a tree that each engine compiles to its own SQL. */
export type Query = OperationNodeSource;
export type Piece<T = unknown> = Expression<T>;
export type Test = Expression<SqlBool>;
export type SqlValue = string | number | boolean;

/** Builds queries on the tables of one app. Only engines run them. */
export const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

type AnyColumn = { [Name in TableName]: keyof Tables[Name] }[TableName];
export const column = (name: AnyColumn): Piece => sql.ref(name);

const { fn, val } = expressionBuilder<Tables, TableName>();

/**
 * Functions that engines write differently. A property is an entry of a JSON object, as text (objects and lists as
 * JSON) or as a number (NULL if it is not a number). `monthStart` takes and returns local time read as UTC. `quotient`
 * divides integers and returns an integer. `floorTo` rounds down to a multiple of a power of two. `wholePart` truncates
 * a fraction, `wholeSum` adds integers of any size. `inDays` may restrict the partitions to read to UTC days.
 */
export const portable = {
  propertyText: (map: Piece, name: string) => fn<string | null>('property_text', [map, val(name)]),
  propertyNumber: (map: Piece, name: string) => fn<number | null>('property_number', [map, val(name)]),
  hasAny: (list: Piece, values: readonly string[]) => fn<SqlBool>('has_any', [list, ...values.map(val)]),
  contains: (text: Piece, part: string) => fn<SqlBool>('contains', [text, val(part)]),
  monthStart: (local: Piece) => fn<number>('month_start', [local]),
  quotient: (whole: Piece, by: number) => fn<number>('quotient', [whole, val(by)]),
  floorTo: (whole: Piece, powerOfTwo: number) => fn<number>('floor_to', [whole, val(-powerOfTwo)]),
  wholePart: (number: Piece) => fn<number>('whole_part', [number]),
  wholeSum: (whole: Piece) => fn<number>('whole_sum', [whole]),
  inDays: (first: string, last: string) => fn<SqlBool>('in_days', [val(first), val(last)]),
};

export const allOf = (tests: readonly Test[]): Test =>
  tests.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`(${sql.join(tests, sql` and `)})`;
export const anyOf = (tests: readonly Test[]): Test => sql<SqlBool>`(${sql.join(tests, sql` or `)})`;
export const not = (test: Test): Test => sql<SqlBool>`not coalesce(${test}, false)`;
export const isIn = (subject: Piece, values: readonly SqlValue[] | Query): Test =>
  'toOperationNode' in values
    ? sql<SqlBool>`${subject} in ${values}`
    : sql<SqlBool>`${subject} in (${sql.join(values)})`;

export const aliased = (pieces: readonly Piece[], prefix: 'g' | 'm'): AliasedExpression<unknown, string>[] =>
  pieces.map((piece, at) => sql`${piece}`.as(`${prefix}${at}`));

/** The first `count` columns of a selection, to group by. */
export const firstColumns = (count: number) => Array.from({ length: count }, (_, at) => sql.lit(at + 1));
