/** A value bound to a statement; never written into its text. */
export type SqlValue = string | number | boolean;

/** A table of a question: its alias says which. `e` events, `s` sessions, `f` each user's first session. */
export type Relation = 'e' | 's' | 'f';

/** A piece of a statement with the values of its `?`s and the relations its columns come from. */
export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
  readonly reads: ReadonlySet<Relation>;
}

/** Builds SQL from a template: pieces are woven in, everything else is bound as a value. */
export function sql(strings: TemplateStringsArray, ...parts: readonly (Sql | SqlValue)[]): Sql {
  const pieces = parts.map((part) => (typeof part === 'object' ? part : bound(part)));
  return {
    text: strings.map((string, index) => string + (pieces[index]?.text ?? '')).join(''),
    values: pieces.flatMap((piece) => piece.values),
    reads: new Set(pieces.flatMap((piece) => [...piece.reads])),
  };
}

const bound = (value: SqlValue): Sql => ({ text: '?', values: [value], reads: new Set() });

/** Text of our own: names and keywords, never anything a caller sent. */
export const own = (text: string): Sql => ({ text, values: [], reads: new Set() });

export const column = (relation: Relation, name: string): Sql => ({
  text: `${relation}.${name}`,
  values: [],
  reads: new Set([relation]),
});

export function joined(pieces: readonly Sql[], separator: string): Sql {
  return {
    text: pieces.map((piece) => piece.text).join(separator),
    values: pieces.flatMap((piece) => piece.values),
    reads: new Set(pieces.flatMap((piece) => [...piece.reads])),
  };
}

/** A subquery that stands alone: what it reads is its own affair. */
export const closed = (query: Sql): Sql => ({ ...query, reads: new Set() });

export const list = (values: readonly SqlValue[]): Sql => joined(values.map(bound), ', ');
export const allOf = (conditions: readonly Sql[]): Sql => joined(conditions, ' AND ');
export const anyOf = (conditions: readonly Sql[]): Sql => sql`(${joined(conditions, ' OR ')})`;
export const not = (condition: Sql): Sql => sql`NOT coalesce(${condition}, false)`;
/** The timestamp of `at` milliseconds since the epoch. */
export const moment = (at: number): Sql => sql`make_timestamp_ms(${at}::BIGINT)`;
