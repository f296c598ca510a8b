import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { BusyError, ConfigError, QueryLimitError, UpstreamError } from '../../../../shared/runtime/errors.ts';
import { jsonIn } from '../../../../shared/text/json.ts';
import { type Cell, namedRows, numberIn, plainCell } from '../engine.ts';
import { httpUrl } from '../http-url.ts';
import { SqlRejected } from '../table-reader.ts';
import type { StatementClient, StatementColumn, StatementOptions } from './engine.ts';

export interface TrinoSettings {
  /** Contains the password. */
  readonly url: string;
  readonly catalog?: string | undefined;
  readonly schema?: string | undefined;
  /** For the whole query, until its last row is read. */
  readonly timeoutMs: number;
}

/** The answer to a statement, and to each `nextUri`. */
const pageSchema = z.object({
  nextUri: z.url({ protocol: /^https?$/ }).optional(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })).optional(),
  data: z.array(z.array(z.unknown())).optional(),
  error: z.object({ message: z.string(), errorName: z.string(), errorType: z.string() }).optional(),
  stats: z.object({ state: z.string(), physicalInputBytes: z.number().default(0) }),
});
type Page = z.output<typeof pageSchema>;

interface Result {
  readonly columns: readonly StatementColumn[];
  readonly rows: readonly (readonly unknown[])[];
  readonly bytesScanned: number;
}

/** Trino asks for such a pause when it is overloaded. */
const RETRY_MS = 100;
const RETRIED = [502, 503, 504];
const CANCEL_MS = 1_000;

/**
 * The REST protocol of Trino (https://trino.io/docs/current/develop/client-protocol.html). The client of its makers for
 * JavaScript neither repeats an overloaded request nor ends at an abort.
 * @throws ConfigError if the URL is not one of HTTP.
 */
export function trino({ url, catalog, schema, timeoutMs }: TrinoSettings): StatementClient {
  const server = serverOf(url);
  const headers = {
    ...server.headers,
    'X-Trino-Source': 'deltawatch',
    'X-Trino-Time-Zone': 'UTC',
    'X-Trino-Session': `query_max_run_time=${Math.max(1, Math.ceil(timeoutMs / 1000))}s`,
    ...(catalog !== undefined && { 'X-Trino-Catalog': catalog }),
    ...(schema !== undefined && { 'X-Trino-Schema': schema }),
  };
  /** On the server of the URL: no other gets the password, and a proxy may have changed the protocol. */
  const here = (uri: string) => uri.replace(new URL(uri).origin, () => server.origin);
  const run = async (sql: string, { signal, onTurn = () => {} }: StatementOptions = {}): Promise<Result> => {
    const limit = AbortSignal.timeout(Math.ceil(timeoutMs));
    const stop = signal ? AbortSignal.any([signal, limit]) : limit;
    let columns: readonly StatementColumn[] = [];
    const rows: (readonly unknown[])[] = [];
    let page: Page | undefined;
    try {
      page = await ask(`${server.origin}/v1/statement`, { method: 'POST', headers, body: sql, signal: stop });
      for (;;) {
        if (page.error) throw new StatementFailed(page.error);
        if (page.stats.state !== 'QUEUED') onTurn();
        columns = page.columns ?? columns;
        rows.push(...(page.data ?? []));
        if (page.nextUri === undefined) return { columns, rows, bytesScanned: page.stats.physicalInputBytes };
        page = await ask(here(page.nextUri), { headers, signal: stop });
      }
    } catch (error) {
      if (!stop.aborted) throw error;
      // If it cannot be cancelled, its limit ends it. The abort is the one to report.
      if (page?.nextUri !== undefined)
        await fetch(here(page.nextUri), {
          method: 'DELETE',
          headers,
          signal: AbortSignal.timeout(CANCEL_MS),
        }).catch(() => {});
      signal?.throwIfAborted();
      if (page === undefined || page.stats.state === 'QUEUED')
        throw new BusyError('waited in the queue of Trino');
      throw new QueryLimitError(`stopped after ${timeoutMs} ms`);
    }
  };
  return {
    async runStatement(sql, options) {
      const { columns, rows, bytesScanned } = await run(sql, options).catch(throwFailure);
      return { rows: namedRows(columns, rows, cellOf), bytesScanned };
    },
    async describe(sql) {
      const { columns } = await run(sql).catch((error: unknown) => {
        if (error instanceof StatementFailed && error.type === 'USER_ERROR' && !/^EXCEEDED/.test(error.kind))
          throw new SqlRejected(error.message);
        throw throwFailure(error);
      });
      return columns;
    },
  };
}

function serverOf(url: string) {
  const { origin, username, password } = httpUrl(url) ?? {};
  if (origin === undefined)
    throw new ConfigError(
      'the URL of Trino must have the form https://user:password@host:8443, with %25 for "%"',
    );
  const user = decodeURIComponent(username ?? '') || 'deltawatch';
  const credentials = Buffer.from(`${user}:${decodeURIComponent(password ?? '')}`).toString('base64');
  return {
    origin,
    headers: { 'X-Trino-User': user, ...(password && { Authorization: `Basic ${credentials}` }) },
  };
}

async function ask(url: string, init: RequestInit & { readonly signal: AbortSignal }): Promise<Page> {
  for (;;) {
    const response = await fetch(url, { ...init, redirect: 'error' });
    if (response.ok) return pageSchema.parse(jsonIn(await response.text()));
    await response.body?.cancel();
    if (!RETRIED.includes(response.status)) throw refusalOf(response.status);
    await sleep(RETRY_MS, undefined, { signal: init.signal });
  }
}

/** The error for another status than 200. */
function refusalOf(status: number): UpstreamError {
  const isDenied = status === 401 || status === 403;
  const says = isDenied ? 'Trino does not accept the user or the password' : 'Trino failed';
  return new UpstreamError(`${says} (${status})`, { retryable: !isDenied && status >= 429 });
}

/** A statement that Trino rejects or stops. The message quotes it. */
class StatementFailed extends Error {
  override readonly name = 'StatementFailed';
  readonly kind: string;
  readonly type: string;

  constructor({ message, errorName, errorType }: NonNullable<Page['error']>) {
    super(`${errorName}: ${message}`);
    this.kind = errorName;
    this.type = errorType;
  }
}

/** Why a query failed, without SQL and values. */
function throwFailure(error: unknown): never {
  if (error instanceof StatementFailed) throw failureOf(error);
  if (error instanceof TypeError || error instanceof z.ZodError) {
    const cause =
      error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : error.name;
    throw new UpstreamError('Trino cannot be reached', { retryable: true, cause: new Error(cause) });
  }
  throw error;
}

function failureOf({ kind, type }: StatementFailed): Error {
  if (kind === 'EXCEEDED_TIME_LIMIT') return new QueryLimitError('stopped at the time limit of a request');
  if (kind === 'EXCEEDED_SCAN_LIMIT') return new QueryLimitError('stopped at the scan limit of Trino');
  if (kind === 'QUERY_QUEUE_FULL') return new BusyError('the queue of Trino is full');
  if (type === 'INSUFFICIENT_RESOURCES')
    return new QueryLimitError('the query exhausted the resources of Trino');
  if (type === 'USER_ERROR')
    return new UpstreamError(`Trino rejected the query (${kind})`, { retryable: false });
  return new UpstreamError(`the query failed in Trino (${kind})`, { retryable: true });
}

const NUMBERS = /^(tinyint|smallint|integer|bigint|real|double|decimal)/;

/** Decimals are texts. */
const cellOf = (value: unknown, { type }: StatementColumn): Cell =>
  value !== null && NUMBERS.test(type) ? numberIn(String(value)) : plainCell(value);
