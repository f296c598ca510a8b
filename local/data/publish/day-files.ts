import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import {
  LAYOUT_VERSION,
  ROW_ORDER,
  TABLE_NAMES,
  TABLES,
  type TableName,
} from '../../../shared/analytics/tables.ts';
import { ConfigError } from '../../../shared/runtime/errors.ts';

const DAY_MS = 86_400_000;

/** Of the database while it sorts. */
const MEMORY_LIMIT = '1GB';

/** The rows of one table that were recorded on one UTC day, `YYYY-MM-DD`. */
export interface DayFile {
  readonly table: TableName;
  readonly day: string;
}

/** What an app's data file holds, as Parquet files to be. */
export interface DayFiles {
  /** Table by table, the days of each in their order. */
  readonly all: readonly DayFile[];
  /** The same rows give the same bytes, as long as DuckDB's version stays. */
  write(file: DayFile): Promise<Uint8Array>;
  close(): void;
}

/**
 * Opens an app's data file for reading, as it is now: an import that swaps it meanwhile is not seen. Files are made
 * in `folder`, one at a time for each call, and read from there.
 * @throws ConfigError where the file was laid out by another version.
 */
export async function openDayFiles(dataFile: string, folder: string): Promise<DayFiles> {
  const instance = await DuckDBInstance.create(dataFile, {
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
