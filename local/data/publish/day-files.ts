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
import { DAY_MS, MINUTE_MS } from '../../../shared/units/durations.ts';
import { dayDigestsSql, digestOf } from '../day-digests.ts';

/** DuckDB spills to disk above this. */
const MEMORY_LIMIT = '1GB';

/** The rows of a table with `recorded_at` on one UTC day, `YYYY-MM-DD`. */
export interface TableDay {
  readonly table: TableName;
  readonly day: string;
  readonly rows: number;
  /** Changes with the rows. */
  readonly digest: string;
}

/** The rows of one file: those of a day with `recorded_at` from `startsAt` to before `endsAt`. */
interface Part {
  readonly startsAt: number;
  readonly endsAt: number;
  readonly digest: string;
}

/** The Parquet files to write from an app's data file. */
export interface DayFiles {
  /** Sorted by table, then by day. */
  readonly all: readonly TableDay[];
  /**
   * The parts of a day, in order of time: one, or several if it has more than `maxRows` rows. Later rows leave all
   * parts but the last one unchanged. A minute is never divided, so a part can have more rows.
   */
  partsOf(day: TableDay, maxRows: number): Promise<readonly Part[]>;
  /**
   * Returns the content. The same rows give the same bytes with the same DuckDB version, unless two visits of a
   * session begin at the same time.
   */
  write(table: TableName, part: Part): Promise<Uint8Array>;
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
    return {
      all,
      partsOf: (day, maxRows) => partsOf(instance, day, maxRows),
      write: (table, part) => write(instance, table, part, folder),
      close: () => instance.closeSync(),
    };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

async function daysOf(instance: DuckDBInstance): Promise<TableDay[]> {
  const names = (await rowsOf(instance, 'SELECT table_name FROM duckdb_tables()')).flat();
  // Imports of earlier versions computed neither the digests nor the sums of hours.
  const digests = names.includes('day_digests')
    ? 'day_digests'
    : `(${dayDigestsSql(TABLE_NAMES.filter((table) => names.includes(table)))})`;
  const rows = await rowsOf(
    instance,
    `FROM ${digests} SELECT of_table, day, rows::DOUBLE, digest::VARCHAR ORDER BY day`,
  );
  return TABLE_NAMES.flatMap((table) =>
    rows
      .filter(([of]) => of === table)
      .map(([, day, count, digest]) => ({
        table,
        day: new Date(Number(day) * DAY_MS).toISOString().slice(0, 10),
        rows: Number(count),
        digest: String(digest),
      })),
  );
}

async function partsOf(
  instance: DuckDBInstance,
  { table, day, rows, digest }: TableDay,
  maxRows: number,
): Promise<Part[]> {
  const startsAt = Date.parse(day);
  const endsAt = startsAt + DAY_MS;
  if (rows <= maxRows) return [{ startsAt, endsAt, digest }];
  const minutes = await rowsOf(
    instance,
    `FROM ${table}
    SELECT floor(recorded_at / ${MINUTE_MS})::BIGINT AS minute, count(*)::DOUBLE, ${digestOf(table)}::VARCHAR
    WHERE recorded_at >= ${startsAt} AND recorded_at < ${endsAt}
    GROUP BY minute ORDER BY minute`,
  );
  const parts: { startsAt: number; rows: number; digest: bigint }[] = [];
  for (const [minute, count, minuteDigest] of minutes) {
    const last = parts.at(-1);
    if (last === undefined || last.rows >= maxRows)
      parts.push({
        startsAt: parts.length === 0 ? startsAt : Number(minute) * MINUTE_MS,
        rows: Number(count),
        digest: BigInt(String(minuteDigest)),
      });
    else {
      last.rows += Number(count);
      last.digest += BigInt(String(minuteDigest));
    }
  }
  return parts.map((part, i) => ({
    startsAt: part.startsAt,
    endsAt: parts[i + 1]?.startsAt ?? endsAt,
    digest: String(part.digest),
  }));
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
  table: TableName,
  { startsAt, endsAt }: Part,
  folder: string,
): Promise<Uint8Array> {
  const path = join(folder, `${randomUUID()}.parquet`);
  const connection = await instance.connect();
  try {
    await connection.run(`
      COPY (
        SELECT ${Object.keys(TABLES[table]).join(', ')} FROM ${table}
        WHERE recorded_at >= ${startsAt} AND recorded_at < ${endsAt}
        ORDER BY ${ROW_ORDER[table].filter((name) => name !== 'day').join(', ')}
      ) TO '${path.replaceAll("'", "''")}' (FORMAT parquet, COMPRESSION zstd)`);
    return await readFile(path);
  } finally {
    connection.closeSync();
    await rm(path, { force: true });
  }
}
