import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import {
  LAYOUT_VERSION,
  ROW_ORDER,
  TABLE_NAMES,
  TABLES,
  type TableName,
} from '../../../shared/analytics/tables.ts';
import { ConfigError } from '../../../shared/runtime/errors.ts';

const DAY_MS = 86_400_000;

/** DuckDB spills to disk above this. */
const MEMORY_LIMIT = '1GB';

/** The rows of a table with `recorded_at` on one UTC day, `YYYY-MM-DD`. */
export interface DayFile {
  readonly table: TableName;
  readonly day: string;
}

/** The Parquet files to write from an app's data file. */
export interface DayFiles {
  /** Sorted by table, then by day. */
  readonly all: readonly DayFile[];
  /** Returns the content. The same rows give the same bytes with the same DuckDB version. */
  write(file: DayFile): Promise<Uint8Array>;
  close(): void;
}

/**
 * Opens a snapshot of an app's data file for reading. Later imports do not affect it. `write` uses `folder` for
 * temporary files.
 * @throws ConfigError if the file has the schema of another version.
 */
export async function openDayFiles(dataFile: string, folder: string): Promise<DayFiles> {
  const duckdb = await import('@duckdb/node-api');
  const instance = await duckdb.DuckDBInstance.create(dataFile, {
    access_mode: 'READ_ONLY',
    memory_limit: MEMORY_LIMIT,
    temp_directory: folder,
  });
  try {
    if ((await numbersOf(instance, 'SELECT version FROM layout').catch(() => []))[0] !== LAYOUT_VERSION)
      throw new ConfigError(`${dataFile} was written by another version of Deltawatch: import it again`);
    const all: DayFile[] = [];
    for (const table of TABLE_NAMES)
      for (const day of await daysOf(instance, table)) all.push({ table, day });
    return { all, write: (file) => write(instance, file, folder), close: () => instance.closeSync() };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

async function daysOf(instance: DuckDBInstance, table: TableName): Promise<string[]> {
  const days = `SELECT DISTINCT floor(recorded_at / ${DAY_MS}) AS day FROM ${table} ORDER BY day`;
  return (await numbersOf(instance, days)).map((day) => new Date(day * DAY_MS).toISOString().slice(0, 10));
}

async function numbersOf(instance: DuckDBInstance, sql: string): Promise<number[]> {
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowsJS().map(([first]) => Number(first));
  } finally {
    connection.closeSync();
  }
}

async function write(instance: DuckDBInstance, { table, day }: DayFile, folder: string): Promise<Uint8Array> {
  const startsAt = Date.parse(day);
  const path = join(folder, `${randomUUID()}.parquet`);
  const connection = await instance.connect();
  try {
    await connection.run(`
      COPY (
        SELECT ${Object.keys(TABLES[table]).join(', ')} FROM ${table}
        WHERE recorded_at >= ${startsAt} AND recorded_at < ${startsAt + DAY_MS}
        ORDER BY ${ROW_ORDER[table].filter((name) => name !== 'day').join(', ')}
      ) TO '${path.replaceAll("'", "''")}' (FORMAT parquet, COMPRESSION zstd)`);
    return await readFile(path);
  } finally {
    connection.closeSync();
    await rm(path, { force: true });
  }
}
