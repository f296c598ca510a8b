import { resolve } from 'node:path';
import type { DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { SqlRejected, type TableReader } from '../table-reader.ts';
import { dayLiteral, type Kind, quotedText, standardLists, type TableDialect } from '../table-sql.ts';
import { withoutSql } from './engine.ts';

const KINDS: readonly [type: RegExp, kind: Kind][] = [
  [/^VARCHAR\[\]$/, 'texts'],
  [/\[\]$/, 'other'],
  [/^(VARCHAR|ENUM)/, 'text'],
  [/^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL)/, 'number'],
  [/^BOOLEAN$/, 'boolean'],
  [/^(JSON|STRUCT|MAP)/, 'json'],
  [/^DATE$/, 'date'],
  [/^TIMESTAMP WITH TIME ZONE$/, 'timestamptz'],
  [/^TIMESTAMP/, 'timestamp'],
];

/** Reads the columns of tables and files in DuckDB. */
export function duckDbReader(instance: DuckDBInstance, folder: string): TableReader {
  const run = async (sql: string): Promise<DuckDBValue[][]> => {
    const connection = await instance.connect();
    try {
      return (await connection.runAndReadAll(sql)).getRows();
    } catch (error) {
      throw new SqlRejected(withoutSql(error).message);
    } finally {
      connection.closeSync();
    }
  };
  return {
    engine: 'DuckDB',
    dialect: duckDbTables(folder),
    describe: async (select) =>
      (await run(`describe ${select}`)).map(([name, type]) => ({
        name: String(name),
        kind: KINDS.find(([pattern]) => pattern.test(String(type)))?.[1] ?? 'other',
      })),
    async first(select) {
      const [row] = await run(select);
      const value = row?.[0];
      if (value === undefined || value === null) return undefined;
      return typeof value === 'string' ? value : Number(value);
    },
  };
}

/** Files are found in `folder`. */
const duckDbTables = (folder: string): TableDialect => ({
  textType: 'varchar',
  doubleType: 'double',
  ...standardLists('varchar[]'),
  millis: ({ sql, kind }) =>
    kind === 'number'
      ? `cast(${sql} as bigint)`
      : `epoch_ms(${kind === 'date' ? `cast(${sql} as timestamp)` : sql})`,
  dayStart: dayLiteral,
  json: ({ sql }) => `cast(${sql} as json)`,
  jsonObject: (properties) => ({
    sql: `json_object(${properties.map(([name, { sql }]) => `${quotedText(name)}, ${sql}`).join(', ')})`,
    kind: 'json',
  }),
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
