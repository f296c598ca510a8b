import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import type { DuckDBConnection } from '@duckdb/node-api';
import { ConfigError, InvalidRequestError } from '../../../shared/runtime/errors.ts';
import { csvHeader, type FileRecord, readCsv } from './csv.ts';

export const FILE_FORMATS = ['ndjson', 'csv', 'parquet'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export interface RecordFile {
  /** Columns of every record; `undefined` for NDJSON. */
  columns: readonly string[] | undefined;
  /** Converts a value for use as a property. Fields use the original value: version 1.10 is not 1.1. */
  asProperty: (value: unknown) => unknown;
  /** Batches in file order, one in memory at a time. */
  records: AsyncIterable<FileRecord[]>;
}

const FORMAT_OF: Record<string, FileFormat> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'ndjson',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.parquet': 'parquet',
};
const LINES_AT_ONCE = 2048;

/** The format by file extension. Throws `InvalidRequestError` for an unknown extension. */
export function formatOf(file: string): FileFormat {
  const format = FORMAT_OF[extname(file).toLowerCase()];
  if (!format)
    throw new InvalidRequestError(
      `The format of ${file} is not known from its name: add --format ${FILE_FORMATS.join('|')}`,
    );
  return format;
}

/** Throws `ConfigError` if the file cannot be read as `format`. */
export async function openRecords(file: string, format: FileFormat): Promise<RecordFile> {
  switch (format) {
    case 'ndjson':
      return { columns: undefined, asProperty: (value) => value, records: readNdjson(file) };
    case 'csv': {
      const header = await csvHeader(file);
      const records = inDuckDb((connection) => readCsv(connection, file, header));
      return { columns: header.names, asProperty: numberOrText, records };
    }
    case 'parquet':
      return {
        columns: await parquetColumns(file),
        asProperty: (value) => value,
        records: inDuckDb((connection) => readParquet(connection, file)),
      };
  }
}

async function* readNdjson(file: string): AsyncGenerator<FileRecord[]> {
  let line = 0;
  let batch: FileRecord[] = [];
  for await (const text of createInterface({ input: createReadStream(file) })) {
    line += 1;
    if (text.trim() === '') continue;
    batch.push({ line, ...parseObject(text.trim()) });
    if (batch.length < LINES_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

function parseObject(text: string): { values: Record<string, unknown> } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return { values: value };
  } catch {
    return { problem: 'it is not valid JSON' };
  }
  return { problem: 'it is not a JSON object' };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Converts numeric text to a number: "12.5" and "10.00". "007", "1e5" and numbers beyond the safe range stay
 * text.
 */
export function numberOrText(value: unknown): unknown {
  const looksLikeOne = typeof value === 'string' && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value);
  return looksLikeOne && Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

const PARQUET_SQL = 'FROM read_parquet($file, binary_as_string = true)';

async function parquetColumns(file: string): Promise<string[]> {
  const read = inDuckDb(async function* (connection) {
    yield (await connection.runAndReadAll(`${PARQUET_SQL} LIMIT 0`, { file })).columnNames();
  });
  try {
    return (await read.next()).value ?? [];
  } catch (cause) {
    throw new ConfigError(`${file} is not a readable Parquet file`, { cause });
  } finally {
    await read.return(undefined);
  }
}

async function* readParquet(connection: DuckDBConnection, file: string): AsyncGenerator<FileRecord[]> {
  let rowsBefore = 0;
  for await (const batch of (await connection.stream(PARQUET_SQL, { file })).yieldRowObjectJs()) {
    yield batch.map((values, i) => ({ line: rowsBefore + i + 1, values }));
    rowsBefore += batch.length;
  }
}

/** Reads with a DuckDB of its own, which is closed at the end. One thread keeps the order of the file. */
async function* inDuckDb<T>(read: (connection: DuckDBConnection) => AsyncGenerator<T>): AsyncGenerator<T> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    yield* read(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
