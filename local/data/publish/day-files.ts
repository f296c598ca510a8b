import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBInstance, JS } from '@duckdb/node-api';
import {
  LAYOUT_VERSION,
  ROW_ORDER,
  TABLE_NAMES,
  TABLES,
  type TableName,
} from '../../../shared/contract/tables.ts';
import { ConfigError } from '../../../shared/runtime/errors.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';

/** DuckDB spills to disk above this. */
const MEMORY_LIMIT = '1GB';

/** The rows of a table with `recorded_at` on one UTC day, `YYYY-MM-DD`. */
export interface TableDay {
  readonly table: TableName;
  readonly day: string;
  /** Changes with the rows. */
  readonly digest: string;
}

/** The Parquet files to write from an app's data file. */
export interface DayFiles {
  /** Sorted by table, then by day. */
  readonly all: readonly TableDay[];
  /** The content. The same rows give the same bytes, unless two visits of a session begin at the same time. */
  write(day: TableDay): Promise<Uint8Array>;
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
    if ((await rowsOf(instance, 'SELECT version FROM layout').catch(() => []))[0]?.[0] !== LAYOUT_VERSION)
      throw new ConfigError(`${dataFile} was written by another version of Deltawatch: import it again`);
    const all = await daysOf(instance);
    return { all, write: (day) => write(instance, day, folder), close: () => instance.closeSync() };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

async function daysOf(instance: DuckDBInstance): Promise<TableDay[]> {
  const rows = await rowsOf(instance, 'FROM day_digests SELECT of_table, day, digest::VARCHAR ORDER BY day');
  return TABLE_NAMES.flatMap((table) =>
    rows
      .filter(([of]) => of === table)
      .map(([, day, digest]) => ({
        table,
        day: new Date(Number(day) * DAY_MS).toISOString().slice(0, 10),
        digest: String(digest),
      })),
  );
}

async function rowsOf(instance: DuckDBInstance, sql: string): Promise<JS[][]> {
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowsJS();
  } finally {
    connection.closeSync();
  }
}

async function write(
  instance: DuckDBInstance,
  { table, day }: TableDay,
  folder: string,
): Promise<Uint8Array> {
  const path = join(folder, `${randomUUID()}.parquet`);
  const startsAt = Date.parse(day);
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
