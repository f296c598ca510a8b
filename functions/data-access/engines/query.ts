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
import type { TableName, Tables } from '../../../shared/contract/tables.ts';

/** A query as a tree that each engine compiles to its own SQL. */
export type Query = OperationNodeSource;
export type Batch<T = unknown> = Expression<T>;
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
export const column = (name: AnyColumn): Batch => sql.ref(name);

const { fn, val } = expressionBuilder<Tables, TableName>();

/**
 * Functions that engines write differently. A property is an entry of a JSON object, as text (objects and lists as
 * JSON) or as a number (NULL if it is not a number). `monthStart` takes and returns local time read as UTC. `quotient`
 * divides integers and returns an integer. `floorTo` rounds down to a multiple of a power of two. `wholePart` truncates
 * a fraction, `wholeSum` adds integers of any size, `wholeMean` is their mean as a double. `percentile` is
 * the number below which a share of the group lies. `inDays` may restrict the
 * partitions to read to UTC days. `asDouble` converts a number, `byCharacter` sorts texts by code point.
 * `page` skips rows and limits their number, at the end of a SELECT.
 */
export const portable = {
  propertyText: (map: Batch, name: string) => fn<string | null>('property_text', [map, val(name)]),
  propertyNumber: (map: Batch, name: string) => fn<number | null>('property_number', [map, val(name)]),
  hasAny: (list: Batch, values: readonly string[]) => fn<SqlBool>('has_any', [list, ...values.map(val)]),
  contains: (text: Batch, part: string) => fn<SqlBool>('contains', [text, val(part)]),
  monthStart: (local: Batch) => fn<number>('month_start', [local]),
  quotient: (whole: Batch, by: number) => fn<number>('quotient', [whole, val(by)]),
  floorTo: (whole: Batch, powerOfTwo: number) => fn<number>('floor_to', [whole, val(-powerOfTwo)]),
  wholePart: (number: Batch) => fn<number>('whole_part', [number]),
  wholeSum: (whole: Batch) => fn<number>('whole_sum', [whole]),
  wholeMean: (whole: Batch) => fn<number>('whole_mean', [whole]),
  percentile: (number: Batch, share: number) => fn<number>('percentile', [number, val(share)]),
  asDouble: (number: Batch) => fn<number>('as_double', [number]),
  byCharacter: (text: Batch) => fn<string>('by_character', [text]),
  page: (offset: number, limit: number) => fn('page', [val(offset), val(limit)]),
  inDays: (first: string, last: string) => fn<SqlBool>('in_days', [val(first), val(last)]),
};

export const allOf = (tests: readonly Test[]): Test =>
  tests.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`(${sql.join(tests, sql` and `)})`;
export const anyOf = (tests: readonly Test[]): Test => sql<SqlBool>`(${sql.join(tests, sql` or `)})`;
export const not = (test: Test): Test => sql<SqlBool>`not coalesce(${test}, false)`;
export const isIn = (subject: Batch, values: readonly SqlValue[] | Query): Test =>
  'toOperationNode' in values
    ? sql<SqlBool>`${subject} in ${values}`
    : sql<SqlBool>`${subject} in (${sql.join(values)})`;

export const aliased = (batches: readonly Batch[], prefix: 'g' | 'm'): AliasedExpression<unknown, string>[] =>
  batches.map((batch, at) => sql`${batch}`.as(`${prefix}${at}`));

/** The first `count` columns of a selection, to group by. */
export const firstColumns = (count: number) => Array.from({ length: count }, (_, at) => sql.lit(at + 1));
