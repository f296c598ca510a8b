import type { DuckDBConnection } from '@duckdb/node-api';
import { ConfigError } from '../../../shared/runtime/errors.ts';
import { inDuckDb } from '../duckdb.ts';
import {
  type BadLine,
  type EventFile,
  lineOf,
  RECORD_PROBLEM,
  recordsSql,
  rejectedLines,
} from './event-file.ts';

type Values = Readonly<Record<string, unknown>>;

/** The first records of a file, to guess a mapping from. */
export interface Sample {
  columns: readonly SampledColumn[];
  /** The first records, with their line numbers. */
  first: readonly { line: number; values: Values }[];
}

export interface SampledColumn {
  /** Column name, or path of a nested value: `context.os.name`. */
  name: string;
  isNested: boolean;
  /** Values in file order, without empty ones. */
  values: readonly unknown[];
}

const MOST_RECORDS = 1000;
const FIRST = 3;
const DEEPEST = 3;
/** Limits the columns of objects whose keys are ids. */
const MOST_COLUMNS = 1000;

/** Reads the first records of `file`. Throws `ConfigError` if it cannot be read or has no valid record. */
export async function sampleOf(file: EventFile): Promise<Sample> {
  const records = await firstRecords(file);
  const gathered = new Map<string, { isNested: boolean; values: unknown[] }>(
    file.header?.names.map((name) => [name, { isNested: false, values: [] }]),
  );
  for (const { values } of records) gather(gathered, values, []);
  return {
    first: records.slice(0, FIRST),
    columns: [...gathered].map(([name, each]) => ({ name, ...each })),
  };
}

async function firstRecords(file: EventFile): Promise<{ line: number; values: Values }[]> {
  const { header, format } = file;
  const valid = header ? '' : `WHERE ${RECORD_PROBLEM} IS NULL`;
  return await inDuckDb(async (connection) => {
    const read = await connection.runAndReadAll(`FROM (${recordsSql(file)}) ${valid} LIMIT ${MOST_RECORDS}`);
    const rejected = format === 'parquet' ? [] : await rejectedLines(connection, file);
    if (read.currentRowCount === 0) throw await noRecord(connection, file, rejected);
    return read.getRowsJS().map(([n, ...cells]) => ({
      line: lineOf(Number(n), file, rejected),
      values: header
        ? Object.fromEntries(header.names.map((name, i) => [name, cells[i]]))
        : (JSON.parse(String(cells[0])) as Values),
    }));
  });
}

/** Names the first line of a file without a valid record, and its problem. */
async function noRecord(
  connection: DuckDBConnection,
  file: EventFile,
  [rejected]: readonly BadLine[],
): Promise<ConfigError> {
  const first = `FROM (${recordsSql(file)}) SELECT n, ${file.header ? "''" : RECORD_PROBLEM} LIMIT 1`;
  const [[n, problem] = []] = (await connection.runAndReadAll(first)).getRowsJS();
  const { line, problem: why } = rejected ?? {
    line: n,
    problem: `${problem}; write one JSON object per line`,
  };
  return new ConfigError(
    line === undefined ? `${file.path} has no events` : `Line ${line} of ${file.path}: ${why}`,
  );
}

function gather(
  gathered: Map<string, { isNested: boolean; values: unknown[] }>,
  values: Values,
  path: readonly string[],
): void {
  for (const [key, value] of Object.entries(values)) {
    const name = [...path, key].join('.');
    const isNested = path.length > 0;
    // A nested key with dots would look like a path.
    if (isEmpty(value) || (isNested && key.includes('.'))) continue;
    const column = gathered.get(name) ?? { isNested, values: [] };
    if (!gathered.has(name) && gathered.size >= MOST_COLUMNS) continue;
    gathered.set(name, column);
    column.values.push(value);
    if (isObject(value) && path.length + 1 < DEEPEST) gather(gathered, value, [...path, key]);
  }
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** The value at a column or path. A column with dots in its name takes precedence. */
export function valueAt(values: Values, path: string): unknown {
  if (Object.hasOwn(values, path)) return values[path];
  const [key = '', ...deeper] = path.split('.');
  const inner = values[key];
  return deeper.length > 0 && isObject(inner) ? valueAt(inner, deeper.join('.')) : undefined;
}
