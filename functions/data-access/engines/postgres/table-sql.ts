import { dayLiteral, quotedText, type TableDialect } from '../table-sql.ts';

/** A function takes at most 100 arguments: the name and the value of each property. */
const MAX_PROPERTIES = 50;

export const POSTGRES_TABLES: TableDialect = {
  textType: 'text',
  doubleType: 'double precision',
  textsType: 'text[]',
  millis: ({ sql, kind }) =>
    kind === 'number' ? `cast(${sql} as bigint)` : `cast(floor(extract(epoch from ${sql}) * 1000) as bigint)`,
  dayStart: dayLiteral,
  // A text is read as `json`, which keeps the spelling of nested values.
  json: ({ sql, kind }) => (kind === 'json' ? sql : `cast(${sql} as json)`),
  jsonObject: (properties) => {
    const objects = chunksOf(properties, MAX_PROPERTIES).map((chunk) => {
      const pairs = chunk.map(([name, { sql }]) => `${quotedText(name)}, ${sql}`);
      return `jsonb_build_object(${pairs.join(', ')})`;
    });
    return objects.length === 1 ? objects.join() : `(${objects.join(' || ')})`;
  },
  hash: (text) => `md5(${text})`,
  byCharacter: (text) => `${text} collate "C"`,
  firstOf: (list) => `${list}[1]`,
};

/** At least one chunk, so that no properties are one empty object. */
const chunksOf = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.max(1, Math.ceil(items.length / size)) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
