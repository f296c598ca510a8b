import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { HOURS_TABLES, LAYOUT_VERSION } from '../../../../shared/contract/tables.ts';
import { BusyError, QueryLimitError, UpstreamError } from '../../../../shared/runtime/errors.ts';
import type { TableSource } from '../compiler.ts';
import type { Cell, Engine, Row } from '../engine.ts';
import { type FairQueue, fairQueue } from '../fair-queue.ts';
import type { Query } from '../query.ts';
import { requestQueries } from '../request-queries.ts';
import { DuckDbCompiler } from './compiler.ts';

export interface DuckDbLimits {
  /** As DuckDB writes sizes, such as `1GB`. */
  readonly memoryLimit: string;
  readonly threads: number;
  /** For all queries of one request together. */
  readonly timeoutMs: number;
}

export const DEFAULT_LIMITS: DuckDbLimits = { memoryLimit: '1GB', threads: 2, timeoutMs: 20_000 };
export interface DuckDbEngine {
  /**
   * An engine for the queries of one request, whose time limit starts now. An UpstreamError is retryable if the file is
   * at fault; then this engine must be replaced. Disposing stops all queries that still run or wait.
   */
  forRequest(keyId: string): Engine & AsyncDisposable;
  closeSync(): void;
}

/**
 * Opens one app's file read-only: a query can reach no other file, extension or setting. The engines of a process
 * share `queue`, because they share its processors and its Node threads.
 * @throws UpstreamError (retryable) if the file cannot be opened or has another version of the layout.
 */
export async function openDuckDb(
  path: string,
  limits: DuckDbLimits = DEFAULT_LIMITS,
  queue: FairQueue = fairQueue({ slots: limits.threads }),
): Promise<DuckDbEngine> {
  const instance = await openInstance(path, limits, {
    says: 'the data file cannot be opened',
    settings: { enable_external_access: 'false', lock_configuration: 'true' },
  });
  if ((await firstColumn(instance, 'SELECT version FROM layout'))[0] !== LAYOUT_VERSION) {
    instance.closeSync();
    throw new UpstreamError('the data file was written by another version; import the data again', {
      retryable: true,
    });
  }
  // A file that another program wrote may have no sums.
  const tables = await firstColumn(instance, 'SELECT table_name FROM duckdb_tables()');
  const hours = HOURS_TABLES.every((table) => tables.includes(table)) ? 'all days' : undefined;
  return duckDbEngine(instance, { limits, queue, hours });
}

/**
 * Opens a database read-only, or one in memory, without extensions.
 * @throws UpstreamError (retryable) with `says`.
 */
export async function openInstance(
  path: string | undefined,
  { memoryLimit, threads }: Pick<DuckDbLimits, 'memoryLimit' | 'threads'>,
  { says, settings }: { says: string; settings: Readonly<Record<string, string>> },
): Promise<DuckDBInstance> {
  const { DuckDBInstance: duckdb } = await import('./package.ts');
  return duckdb
    .create(path ?? ':memory:', {
      ...(path !== undefined && { access_mode: 'READ_ONLY' }),
      memory_limit: memoryLimit,
      threads: String(threads),
      // For queries that exceed their memory. Not in the data directory, whose disk it could fill.
      temp_directory: join(tmpdir(), `deltawatch-${randomUUID()}`),
      max_temp_directory_size: '2GB',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      ...settings,
    })
    .catch((error: unknown) => {
      throw new UpstreamError(says, { retryable: true, cause: withoutSql(error) });
    });
}

/** Empty if the query fails. */
async function firstColumn(instance: DuckDBInstance, sql: string): Promise<readonly unknown[]> {
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRows().map(([cell]) => cell);
  } catch {
    return [];
  } finally {
    connection.closeSync();
  }
}

/** Runs `use` with the source of the tables of a query, which is valid until `use` has ended. */
export type WithSource = <T>(
  query: Query,
  signal: AbortSignal,
  use: (source?: TableSource) => Promise<T>,
) => Promise<T>;

export interface DuckDbOptions {
  readonly limits: DuckDbLimits;
  readonly queue: FairQueue;
  /** By default, queries read the tables of an app's own file. */
  readonly withSource?: WithSource;
  readonly hours?: Engine['hours'];
}

/** Queries on an open instance, which `closeSync` closes. */
export function duckDbEngine(
  instance: DuckDBInstance,
  { limits, queue, withSource = (_query, _signal, use) => use(), hours }: DuckDbOptions,
): DuckDbEngine {
  return {
    forRequest(keyId) {
      const limit = AbortSignal.timeout(limits.timeoutMs);
      const { run, ...queries } = requestQueries();
      return {
        ...queries,
        hours,
        answer: (query, caller) =>
          run(caller, async (signal, onTurn) => {
            const stop = AbortSignal.any([signal, limit]);
            let waits = false;
            const rows = withSource(query, stop, (source) => {
              waits = true;
              return queue(keyId, stop, () => {
                waits = false;
                onTurn();
                return runAlone(instance, new DuckDbCompiler(source).compile(query), stop);
              });
            });
            return {
              rows: await rows.catch((error: unknown) => {
                if (limit.aborted && waits) throw new BusyError('no turn within the time limit');
                return throwFailure(error, limit);
              }),
            };
          }),
      };
    },
    closeSync: () => instance.closeSync(),
  };
}

type Compiled = ReturnType<DuckDbCompiler['compile']>;

async function runAlone(
  instance: DuckDBInstance,
  { sql, parameters }: Compiled,
  stop: AbortSignal,
): Promise<readonly Row[]> {
  // A connection runs one query at a time, so each query gets its own and can be stopped alone.
  const connection = await instance.connect();
  // An interrupt before the query starts has no effect, so it is repeated.
  const watch = setInterval(() => stop.aborted && connection.interrupt(), 20);
  try {
    const result = await connection.run(sql, parameters as DuckDBValue[]);
    const names = result.deduplicatedColumnNames();
    const rows: Row[] = [];
    // In parts, because other requests wait while a large answer is converted.
    for await (const part of result.yieldRows())
      for (const row of part)
        rows.push(Object.fromEntries(row.map((value, at) => [names[at], cellOf(value)])));
    return rows;
  } finally {
    clearInterval(watch);
    connection.closeSync();
  }
}

function throwFailure(error: unknown, limit: AbortSignal): never {
  if (limit.aborted) throw new QueryLimitError('stopped at the time limit of a request');
  if (error instanceof UpstreamError || error instanceof QueryLimitError) throw error;
  const cause = withoutSql(error);
  if (cause.message.startsWith('Out of Memory')) throw new QueryLimitError('out of memory', { cause });
  throw new UpstreamError('the query engine failed', { retryable: OF_THE_FILE.test(cause.message), cause });
}

/**
 * Errors of the file or the instance, not of the query. After some of them the instance stops working and must be
 * opened again.
 */
const OF_THE_FILE = /^(IO|FATAL|INTERNAL|Serialization) Error/;

function cellOf(value: DuckDBValue): Cell {
  if (typeof value === 'bigint') return Number(value);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  throw new UpstreamError('a query returned a nested value', { retryable: false });
}

/** DuckDB quotes the statement after the first line of its messages. */
export function withoutSql(error: unknown): Error {
  return new Error(String(error instanceof Error ? error.message : error).split('\n', 1)[0]);
}
