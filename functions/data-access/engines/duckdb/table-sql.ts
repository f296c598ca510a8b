import { resolve } from 'node:path';
import { dayLiteral, quotedText, type TableDialect } from '../table-sql.ts';

/** Files are found in `folder`. */
export const duckDbTables = (folder: string): TableDialect => ({
  textType: 'varchar',
  doubleType: 'double',
  textsType: 'varchar[]',
  millis: ({ sql, kind }) =>
    kind === 'number'
      ? `cast(${sql} as bigint)`
      : `epoch_ms(${kind === 'date' ? `cast(${sql} as timestamp)` : sql})`,
  dayStart: dayLiteral,
  json: ({ sql }) => `cast(${sql} as json)`,
  jsonObject: (properties) =>
    `json_object(${properties.map(([name, { sql }]) => `${quotedText(name)}, ${sql}`).join(', ')})`,
  hash: (text) => `md5(${text})`,
  byCharacter: (text) => text,
  firstOf: (list) => `${list}[1]`,
  files: (pattern) => {
    const reader = READERS.find(([ending]) => ending.test(pattern))?.[1] ?? 'read_csv';
    return `${reader}(${quotedText(resolve(folder, pattern))}, union_by_name = true)`;
  },
});

const READERS: readonly [ending: RegExp, reader: string][] = [
  [/\.parquet$/i, 'read_parquet'],
  [/\.(json|jsonl|ndjson)(\.gz)?$/i, 'read_json'],
];
