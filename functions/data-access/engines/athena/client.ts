import {
  AthenaClient,
  type AthenaClientConfig,
  type Datum,
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  type GetQueryResultsOutput,
  type QueryExecution,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena';
import type { Clock, Millis } from '../../../../shared/runtime/clock.ts';
import { BusyError, QueryLimitError, UpstreamError } from '../../../../shared/runtime/errors.ts';
import { type Cell, namedRows, numberIn, type Row } from '../engine.ts';
import type { StatementClient, StatementColumn, StatementOptions } from '../trino/engine.ts';
import { callFailureOf, failureOf, rejectionAtStart, rejectionOf } from './failures.ts';

export interface AthenaSettings {
  readonly workgroup: string;
  readonly catalog: string;
  readonly database: string;
  /** How old a result of the same statement may be to be reused; 0 disables reuse. At most 10080. */
  readonly reuseMinutes: number;
  /** For the whole query, until its last row is read. */
  readonly timeoutMs: number;
}

interface Surroundings {
  readonly clock: Clock;
  /** A new text of 32 to 128 characters. Athena uses it to recognise a repeated request. */
  readonly newToken: () => string;
}

const MAX_STATEMENT_BYTES = 262_144;
const ROWS_PER_PAGE = 1_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1_000;
const STOP_MS = 1_000;

/** A client whose single calls have a short timeout, so that one cannot use all the time of a query. */
export const connectAthena = (config: AthenaClientConfig = {}): AthenaClient =>
  new AthenaClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
    ...config,
  });

/** Runs a statement through the Athena API: start it, poll its state, read the result page by page. */
export function athena(
  client: AthenaClient,
  settings: AthenaSettings,
  around: Surroundings,
): StatementClient {
  const run = async (
    sql: string,
    { signal, onTurn }: StatementOptions = {},
    explain: (error: unknown) => unknown = (error) => error,
  ) => {
    if (Buffer.byteLength(sql) > MAX_STATEMENT_BYTES)
      throw new QueryLimitError(`the statement is longer than ${MAX_STATEMENT_BYTES} bytes`);
    signal?.throwIfAborted();
    const budget = budgetOf(settings.timeoutMs, around.clock, signal);
    const starting = startCommand(sql, settings, around.newToken());
    const { QueryExecutionId: id } = await budget.spend((options) =>
      client.send(starting, options).catch((error: unknown) => {
        throw explain(error);
      }),
    );
    if (id === undefined)
      throw new UpstreamError('Athena started a query without an id', { retryable: true });
    return { id, budget, ...(await ended(client, id, budget, onTurn)) };
  };
  return {
    async runStatement(sql, options) {
      const { id, budget, Status: status = {}, Statistics: statistics } = await run(sql, options);
      if (status.State !== 'SUCCEEDED') throw failureOf(status);
      const rows = await resultOf(client, id, budget);
      return { rows, bytesScanned: statistics?.DataScannedInBytes ?? 0 };
    },
    async describe(sql) {
      const { id, budget, Status: status = {} } = await run(sql, undefined, rejectionAtStart);
      if (status.State !== 'SUCCEEDED') throw rejectionOf(status) ?? failureOf(status);
      const results = new GetQueryResultsCommand({ QueryExecutionId: id, MaxResults: 1 });
      return columnsOf(await budget.spend((options) => client.send(results, options)));
    },
  };
}

/** The remaining time of one query. */
interface Budget {
  /** Waits, at most until the time is up. */
  pause(milliseconds: number): Promise<void>;
  /** Makes one API call, aborted when the time is up or the caller has gone. */
  spend<T>(call: (options: { abortSignal: AbortSignal }) => Promise<T>): Promise<T>;
}

function budgetOf(timeoutMs: number, clock: Clock, signal: AbortSignal | undefined): Budget {
  const endAt: Millis = clock.now() + timeoutMs;
  const outOfTime = () => new QueryLimitError(`stopped after ${timeoutMs} ms`);
  const leftMs = () => Math.max(endAt - clock.now(), 0);
  return {
    pause: (milliseconds) => clock.sleep(Math.min(milliseconds, leftMs())),
    async spend(call) {
      signal?.throwIfAborted();
      if (clock.now() >= endAt) throw outOfTime();
      const limit = AbortSignal.timeout(Math.ceil(leftMs()));
      const abortSignal = signal ? AbortSignal.any([signal, limit]) : limit;
      try {
        return await call({ abortSignal });
      } catch (error) {
        signal?.throwIfAborted();
        throw limit.aborted ? outOfTime() : callFailureOf(error);
      }
    },
  };
}

const startCommand = (sql: string, settings: AthenaSettings, token: string) =>
  new StartQueryExecutionCommand({
    QueryString: sql,
    ClientRequestToken: token,
    WorkGroup: settings.workgroup,
    QueryExecutionContext: { Catalog: settings.catalog, Database: settings.database },
    ResultReuseConfiguration: {
      ResultReuseByAgeConfiguration:
        settings.reuseMinutes > 0
          ? { Enabled: true, MaxAgeInMinutes: settings.reuseMinutes }
          : { Enabled: false },
    },
  });

/** Waits for the end of the query, and stops it in Athena if the wait fails. */
async function ended(
  client: AthenaClient,
  id: string,
  budget: Budget,
  onTurn: () => void = () => {},
): Promise<QueryExecution> {
  let waits = true;
  const command = new GetQueryExecutionCommand({ QueryExecutionId: id });
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, MAX_PAUSE_MS)) {
      const { QueryExecution: query = {} } = await budget.spend((options) => client.send(command, options));
      const state = query.Status?.State;
      if (state !== 'QUEUED' && state !== 'RUNNING') return query;
      if (state === 'RUNNING') {
        waits = false;
        onTurn();
      }
      await budget.pause(pauseMs);
    }
  } catch (error) {
    // If it cannot be stopped, the limit of the workgroup ends it. The first error is the one to report.
    const stop = new StopQueryExecutionCommand({ QueryExecutionId: id });
    await client.send(stop, { abortSignal: AbortSignal.timeout(STOP_MS) }).catch(() => undefined);
    if (waits && error instanceof QueryLimitError) throw new BusyError('waited in the queue of Athena');
    throw error;
  }
}

async function resultOf(client: AthenaClient, id: string, budget: Budget): Promise<Row[]> {
  const rows: Row[] = [];
  let next: string | undefined;
  do {
    const command = new GetQueryResultsCommand({
      QueryExecutionId: id,
      MaxResults: ROWS_PER_PAGE,
      ...(next !== undefined && { NextToken: next }),
    });
    const page = await budget.spend((options) => client.send(command, options));
    rows.push(...rowsOf(page));
    next = page.NextToken;
  } while (next !== undefined);
  // The first row of a SELECT holds the names of its columns.
  return rows.slice(1);
}

const NUMBERS = ['tinyint', 'smallint', 'integer', 'bigint', 'float', 'double', 'decimal'];
/** `unknown` is that of an untyped NULL. */
const TYPES = [...NUMBERS, 'varchar', 'char', 'boolean', 'unknown'];

/** @throws UpstreamError for a column with nested values. */
function rowsOf(page: GetQueryResultsOutput): Row[] {
  const columns = columnsOf(page);
  const nested = columns.find(({ type }) => !TYPES.includes(type));
  if (nested)
    throw new UpstreamError(`a query returned a column of the type ${nested.type}`, { retryable: false });
  const rows = (page.ResultSet?.Rows ?? []).map(({ Data: cells = [] }) => cells);
  return namedRows(columns, rows, cellOf);
}

const columnsOf = (page: GetQueryResultsOutput): StatementColumn[] =>
  (page.ResultSet?.ResultSetMetadata?.ColumnInfo ?? []).map(({ Name: name = '', Type: type = '' }) => ({
    name,
    type,
  }));

function cellOf({ VarCharValue: text }: Datum = {}, { type }: StatementColumn): Cell {
  if (text === undefined) return null;
  if (type === 'boolean') return text === 'true';
  return NUMBERS.includes(type) ? numberIn(text) : text;
}
