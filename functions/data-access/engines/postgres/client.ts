import type { Client, ClientConfig, Pool, PoolClient, QueryArrayConfig } from 'pg';
import { ConfigError, UpstreamError } from '../../../../shared/runtime/errors.ts';
import type { RunOptions, ServerSettings } from '../server-engine.ts';
import { abortAfter, slots, slotWithin } from '../slots.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { PostgresClient, PostgresRows } from './engine.ts';

const IDLE_MS = 30_000;

export interface PostgresLimits {
  /** For a connection, without the wait for a free one. */
  readonly connectMs: number;
  /** For each step of a cancellation. */
  readonly cancelMs: number;
  /** The server has this time to report that it stopped a statement at its limit. */
  readonly graceMs: number;
}

const LIMITS: PostgresLimits = { connectMs: 10_000, cancelMs: 2_000, graceMs: 5_000 };

/**
 * Connects when the first statement runs. At most `connections` statements run at a time; others wait.
 * @throws ConfigError if the package `pg` is not installed, or the URL is not one of PostgreSQL.
 */
export async function connectPostgres(
  { url, connections, keepsIdle = true }: ServerSettings,
  limits: PostgresLimits = LIMITS,
): Promise<PostgresClient> {
  const pg = (await import('pg')).default;
  requireUrl(url);
  const config: ClientConfig = {
    connectionString: url,
    application_name: 'deltawatch',
    connectionTimeoutMillis: limits.connectMs,
    keepAlive: true,
    // Cells stay texts; the engine converts them by their type.
    types: { getTypeParser: () => (cell: string) => cell },
  };
  const idle = keepsIdle ? { idleTimeoutMillis: IDLE_MS } : { maxUses: 1 };
  const pool = new pg.Pool({ ...config, max: connections, ...idle });
  // A connection that fails while nobody uses it is replaced.
  pool.on('error', ignore);
  const { cancelMs } = limits;
  const deps: Deps = {
    pool,
    // The time limit of the pool would also end the wait for a free connection.
    slot: slots(connections),
    canceller: () => new pg.Client({ ...config, connectionTimeoutMillis: cancelMs, query_timeout: cancelMs }),
    graceMs: limits.graceMs,
  };
  return {
    run: (sql, parameters, options) =>
      runOn(deps, { text: sql, values: [...parameters], rowMode: 'array' }, options),
    close: () => pool.end(),
  };
}

interface Deps {
  readonly pool: Pool;
  readonly slot: ReturnType<typeof slots>;
  /** A connection for one cancellation. */
  readonly canceller: () => Client;
  readonly graceMs: number;
}

/** A connection that fails also rejects its query. Without a listener for its error, it would end the process. */
const ignore = () => {};

function requireUrl(url: string): void {
  const { protocol } = URL.parse(url) ?? { protocol: '' };
  if (protocol !== 'postgres:' && protocol !== 'postgresql:')
    throw new ConfigError(
      'the URL of the database must have the form postgres://user:password@host:5432/database',
    );
}

async function runOn(deps: Deps, query: QueryArrayConfig, options: RunOptions): Promise<PostgresRows> {
  const endsAt = performance.now() + options.timeoutMs;
  const release = await slotWithin(deps.slot, options);
  options.onTurn?.();
  const connecting = deps.pool.connect();
  // Even if nobody waits for the connection any more, it keeps its slot until it is open or has failed.
  const closed = Promise.withResolvers<void>();
  void Promise.allSettled([connecting, closed.promise]).then(release);
  using late = abortAfter(
    endsAt + deps.graceMs - performance.now(),
    () => new UpstreamError('PostgreSQL did not answer in time', { retryable: true }),
  );
  const stop = AbortSignal.any([options.signal, late.signal]);
  try {
    const client = await unlessAborted(connecting, stop).catch((error: unknown) => {
      // The pool keeps the connection for the next statement.
      connecting.then((unused) => unused.release(), ignore);
      throw error;
    });
    return await useOnce(client, (open) =>
      runAlone(open, query, { stop, endsAt, canceller: deps.canceller }),
    );
  } finally {
    closed.resolve();
  }
}

async function useOnce<T>(client: PoolClient, use: (client: PoolClient) => Promise<T>): Promise<T> {
  client.on('error', ignore);
  let failure: Error | undefined;
  try {
    return await use(client);
  } catch (error) {
    failure = error instanceof Error ? error : new Error('failed');
    throw error;
  } finally {
    // A connection that may still be in the transaction is not used again. If a statement runs, its socket is destroyed.
    client.release(failure);
    client.off('error', ignore);
  }
}

interface Bounds {
  /** Aborted when the caller has left or the server does not answer. */
  readonly stop: AbortSignal;
  /** On the clock of `performance.now`. The server stops the statement then. */
  readonly endsAt: number;
  readonly canceller: () => Client;
}

async function runAlone(
  client: PoolClient,
  query: QueryArrayConfig,
  { stop, endsAt, canceller }: Bounds,
): Promise<PostgresRows> {
  // A limit of 0 would be none.
  const leftMs = Math.max(1, Math.ceil(endsAt - performance.now()));
  // Poolers between this process and the server drop the settings of a session, so each transaction has its own.
  // Compiling these long statements takes seconds and saves milliseconds.
  const beginning = client.query(`begin read only;
    set local statement_timeout = ${leftMs};
    set local time zone 'UTC';
    set local standard_conforming_strings = on;
    set local jit = off;
    select pg_backend_pid()`);
  const pid = lastCell(await unlessAborted(beginning, stop));
  const cancelInServer = () => void cancel(canceller(), pid);
  stop.addEventListener('abort', cancelInServer, { once: true });
  try {
    stop.throwIfAborted();
    // With the extended protocol the server rejects a text with several statements.
    const asked = client.query({ ...query, queryMode: 'extended' } as QueryArrayConfig);
    const { fields, rows } = await unlessAborted(asked, stop);
    await unlessAborted(client.query('commit'), stop);
    return { columns: fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID })), rows };
  } finally {
    stop.removeEventListener('abort', cancelInServer);
  }
}

/** `pg` returns one result per statement, which its types do not say. */
function lastCell(results: unknown): unknown {
  const last = Array.isArray(results) ? results.at(-1) : results;
  return last?.rows?.[0]?.pg_backend_pid;
}

/** Stops the statement in the server. If that fails, its time limit stops it. */
async function cancel(client: Client, pid: unknown): Promise<void> {
  client.on('error', ignore);
  try {
    await client.connect();
    await client.query('select pg_cancel_backend($1)', [pid]);
  } catch {
    // The first failure is the one to report.
  } finally {
    await client.end().catch(ignore);
  }
}
