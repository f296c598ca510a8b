import type { Client, ClientConfig, Pool, PoolClient, QueryArrayConfig } from 'pg';
import { ConfigError } from '../../../shared/runtime/errors.ts';
import type { PostgresClient, PostgresOptions, PostgresRows } from './postgres.ts';

const CONNECT_MS = 10_000;
const CANCEL_MS = 2_000;
const IDLE_MS = 30_000;

export interface PostgresSettings {
  /** Contains the password. */
  readonly url: string;
  readonly connections: number;
}

/**
 * Connects when the first statement runs. At most `connections` statements run at a time; others wait.
 * @throws ConfigError if the package `pg` is not installed, or the URL is not one of PostgreSQL.
 */
export async function connectPostgres({ url, connections }: PostgresSettings): Promise<PostgresClient> {
  const pg = (await import('pg')).default;
  requireUrl(url);
  const config: ClientConfig = {
    connectionString: url,
    application_name: 'deltawatch',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    // Cells stay texts; the engine converts them by their type.
    types: { getTypeParser: () => (cell: string) => cell },
  };
  const pool = new pg.Pool({ ...config, max: connections, idleTimeoutMillis: IDLE_MS });
  // A connection that fails while nobody uses it is replaced.
  pool.on('error', ignore);
  return {
    run: (sql, parameters, options) =>
      runOn(
        pool,
        { text: sql, values: [...parameters], rowMode: 'array' },
        options,
        () => new pg.Client(config),
      ),
    close: () => pool.end(),
  };
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

async function runOn(
  pool: Pool,
  query: QueryArrayConfig,
  options: PostgresOptions,
  connect: () => Client,
): Promise<PostgresRows> {
  const client = await pool.connect();
  client.on('error', ignore);
  let failure: Error | undefined;
  try {
    return await runAlone(client, query, options, connect);
  } catch (error) {
    failure = error instanceof Error ? error : new Error('failed');
    throw error;
  } finally {
    // A connection that may still be in the transaction is not used again.
    client.release(failure);
    client.off('error', ignore);
  }
}

async function runAlone(
  client: PoolClient,
  query: QueryArrayConfig,
  { signal, timeoutMs }: PostgresOptions,
  connect: () => Client,
): Promise<PostgresRows> {
  signal.throwIfAborted();
  // Poolers between this process and the server drop the settings of a session, so each transaction has its own.
  // Compiling these long statements takes seconds and saves milliseconds.
  const began = await client.query(`begin read only;
    set local statement_timeout = ${Math.ceil(timeoutMs)};
    set local time zone 'UTC';
    set local standard_conforming_strings = on;
    set local jit = off;
    select pg_backend_pid()`);
  const pid = lastCell(began);
  const stop = () => void cancel(connect(), pid);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    // With the extended protocol the server rejects a text with several statements.
    const { fields, rows } = await client.query({ ...query, queryMode: 'extended' } as QueryArrayConfig);
    await client.query('commit');
    return { columns: fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID })), rows };
  } finally {
    signal.removeEventListener('abort', stop);
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
  const limit = setTimeout(() => void client.end().catch(() => {}), CANCEL_MS);
  try {
    await client.connect();
    await client.query('select pg_cancel_backend($1)', [pid]);
  } catch {
    // The first failure is the one to report.
  } finally {
    clearTimeout(limit);
    await client.end().catch(() => {});
  }
}
