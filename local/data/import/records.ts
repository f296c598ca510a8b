import { extname } from 'node:path';
import { ConfigError, InvalidRequestError } from '../../../shared/runtime/errors.ts';
import { csvColumns, numberOrText, readCsv } from './csv.ts';
import type { FileRecord } from './file-record.ts';
import { readLines } from './lines.ts';

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
      return { columns: undefined, asProperty: asGiven, records: readNdjson(file) };
    case 'csv': {
      const columns = await csvColumns(file);
      return { columns: columns.names, asProperty: numberOrText, records: readCsv(file, columns) };
    }
    case 'parquet':
      return await openParquet(file);
  }
}

function asGiven(value: unknown): unknown {
  return value;
}

async function* readNdjson(file: string): AsyncGenerator<FileRecord[]> {
  for await (const lines of readLines(file))
    yield lines
      .filter(({ text }) => text.trim() !== '')
      .map(({ line, text }) => ({ line, ...parseObject(text) }));
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

async function openParquet(file: string): Promise<RecordFile> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const close = () => {
    connection.closeSync();
    instance.closeSync();
  };
  try {
    const rows = await connection.stream('FROM read_parquet($file, binary_as_string = true)', { file });
    const records = numbered(rows.yieldRowObjectJs(), close);
    return { columns: rows.columnNames(), asProperty: asGiven, records };
  } catch (cause) {
    close();
    throw new ConfigError(`${file} is not a readable Parquet file`, { cause });
  }
}

async function* numbered(
  batches: AsyncIterable<Record<string, unknown>[]>,
  close: () => void,
): AsyncGenerator<FileRecord[]> {
  let rowsBefore = 0;
  try {
    for await (const batch of batches) {
      yield batch.map((values, i) => ({ line: rowsBefore + i + 1, values }));
      rowsBefore += batch.length;
    }
  } finally {
    close();
  }
}
