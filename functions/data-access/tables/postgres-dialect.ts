import { dayLiteral, quotedText, type TableDialect } from './table-dialect.ts';

export const POSTGRES_TABLES: TableDialect = {
  textType: 'text',
  doubleType: 'double precision',
  textsType: 'text[]',
  millis: ({ sql, kind }) =>
    kind === 'number' ? `cast(${sql} as bigint)` : `cast(floor(extract(epoch from ${sql}) * 1000) as bigint)`,
  dayStart: dayLiteral,
  // A text is read as `json`, which keeps the spelling of nested values.
  json: ({ sql, kind }) => (kind === 'json' ? sql : `cast(${sql} as json)`),
  jsonObject: (properties) =>
    `jsonb_build_object(${properties.map(([name, { sql }]) => `${quotedText(name)}, ${sql}`).join(', ')})`,
  hash: (text) => `md5(${text})`,
  byCharacter: (text) => `${text} collate "C"`,
};
