import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { QueryLimitError, UpstreamError } from '../../../shared/runtime/errors.ts';
import type { Cell, Engine, Row } from './engine.ts';
import type { Sql } from './sql.ts';

export interface DuckDbLimits {
  /** As DuckDB writes sizes, such as `1GB`. */
  readonly memoryLimit: string;
  readonly threads: number;
  readonly queryTimeoutMs: number;
}

export const DEFAULT_LIMITS: DuckDbLimits = { memoryLimit: '1GB', threads: 2, queryTimeoutMs: 20_000 };

export interface DuckDbEngine extends Engine {
  close(): void;
}

/**
 * Opens one app's file for reading only: no other file, no extension, no setting can be reached from a query.
 * @throws UpstreamError (retryable) when the file cannot be opened.
 */
export async function openDuckDb(path: string, limits: DuckDbLimits = DEFAULT_LIMITS): Promise<DuckDbEngine> {
  const instance = await DuckDBInstance.create(path, {
    access_mode: 'READ_ONLY',
    memory_limit: limits.memoryLimit,
    threads: String(limits.threads),
    enable_external_access: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    lock_configuration: 'true',
  }).catch((error: unknown) => {
    throw new UpstreamError('the data file cannot be opened', { retryable: true, cause: withoutSql(error) });
  });
  return {
    rows: (query) => run(instance, query, limits.queryTimeoutMs),
    close: () => instance.closeSync(),
  };
}

async function run(instance: DuckDBInstance, query: Sql, timeoutMs: number): Promise<readonly Row[]> {
  // A connection runs one query at a time; one for each query lets requests overlap and be stopped one by one.
  const connection = await instance.connect();
  let stopped = false;
  const timer = setTimeout(() => {
    stopped = true;
    connection.interrupt();
  }, timeoutMs);
  try {
    const reader = await connection.runAndReadAll(query.text, [...query.values]);
    const names = reader.deduplicatedColumnNames();
    return reader
      .getRows()
      .map((row) => Object.fromEntries(row.map((value, at) => [names[at], cellOf(value)])));
  } catch (error) {
    const cause = withoutSql(error);
    if (stopped) throw new QueryLimitError(`stopped after ${timeoutMs} ms`);
    if (cause.message.startsWith('Out of Memory')) throw new QueryLimitError('out of memory', { cause });
    throw new UpstreamError('the query engine failed', { retryable: false, cause });
  } finally {
    clearTimeout(timer);
    connection.closeSync();
  }
}

function cellOf(value: DuckDBValue): Cell {
  if (typeof value === 'bigint') return Number(value);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  throw new UpstreamError('a query answered with a nested value', { retryable: false });
}

/** DuckDB quotes the statement after the first line of its messages. */
function withoutSql(error: unknown): Error {
  return new Error(String(error instanceof Error ? error.message : error).split('\n', 1)[0]);
}
