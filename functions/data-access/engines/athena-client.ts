import {
  AthenaClient,
  type AthenaClientConfig,
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  type QueryExecution,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena';
import type { Clock, Millis } from '../../../shared/runtime/clock.ts';
import { QueryLimitError, UpstreamError } from '../../../shared/runtime/errors.ts';
import { callAthena, failureOf } from './athena-failures.ts';
import { rowsOf } from './athena-rows.ts';
import type { EngineAnswer, Row } from './engine.ts';

export interface AthenaSettings {
  readonly workgroup: string;
  readonly catalog: string;
  readonly database: string;
  /** How old the answer to the very same statement may be to be given again; 0 asks anew. At most 10080. */
  readonly reuseMinutes: number;
  /** For the whole, from the question to its last row. */
  readonly timeoutMs: number;
}

/** Leaves a gateway that gives up after 29 seconds the time to hear why. */
export const DEFAULT_ATHENA = {
  catalog: 'AwsDataCatalog',
  reuseMinutes: 0,
  timeoutMs: 25_000,
} as const satisfies Partial<AthenaSettings>;

export interface Athena {
  /**
   * Puts one SELECT. An abort of `signal` stops the query in Athena and throws the signal's reason.
   * @throws QueryLimitError for a statement too long, and when a limit of time, bytes or memory stopped the query.
   * @throws UpstreamError when Athena refused or failed; neither its message nor its cause carries SQL.
   */
  runStatement(sql: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<EngineAnswer>;
}

interface Surroundings {
  readonly clock: Clock;
  /** A new text of 32 to 128 characters, by which Athena knows a request sent twice. */
  readonly newToken: () => string;
}

const LONGEST_STATEMENT_BYTES = 262_144;
const ROWS_PER_PAGE = 1_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

/** A client whose single requests cannot use up the time of a whole question. */
export const connectAthena = (config: AthenaClientConfig = {}): AthenaClient =>
  new AthenaClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 },
    ...config,
  });

/** Questions put to Athena by its interface of calls: start, ask whether it is done, fetch page by page. */
export function athena(client: AthenaClient, settings: AthenaSettings, around: Surroundings): Athena {
  return {
    async runStatement(sql, { signal } = {}) {
      if (Buffer.byteLength(sql) > LONGEST_STATEMENT_BYTES)
        throw new QueryLimitError(`the question is longer than ${LONGEST_STATEMENT_BYTES} bytes`);
      signal?.throwIfAborted();
      const budget = budgetOf(settings.timeoutMs, around.clock, signal);
      const id = await start(client, sql, settings, around.newToken());
      const { Status: status = {}, Statistics: statistics } = await ended(client, id, budget);
      if (status.State !== 'SUCCEEDED') throw failureOf(status);
      const rows = await resultOf(client, id, budget);
      return { rows, bytesScanned: statistics?.DataScannedInBytes ?? 0 };
    },
  };
}

/** What is left of the time of one question. */
interface Budget {
  /** Throws when the time is up or the caller has gone. */
  check(): void;
  /** Waits, though not past the end of the time. */
  pause(milliseconds: number): Promise<void>;
}

function budgetOf(timeoutMs: number, clock: Clock, signal: AbortSignal | undefined): Budget {
  const endAt: Millis = clock.now() + timeoutMs;
  return {
    check() {
      signal?.throwIfAborted();
      if (clock.now() >= endAt) throw new QueryLimitError(`stopped after ${timeoutMs} ms`);
    },
    pause: (milliseconds) => clock.sleep(Math.min(milliseconds, Math.max(endAt - clock.now(), 0))),
  };
}

async function start(
  client: AthenaClient,
  sql: string,
  settings: AthenaSettings,
  token: string,
): Promise<string> {
  const command = new StartQueryExecutionCommand({
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
  const { QueryExecutionId: id } = await callAthena(() => client.send(command));
  if (id === undefined) throw new UpstreamError('Athena started a query without an id', { retryable: true });
  return id;
}

/** The query once it has ended, well or badly. Whatever keeps us from waiting for it stops it too. */
async function ended(client: AthenaClient, id: string, budget: Budget): Promise<QueryExecution> {
  const command = new GetQueryExecutionCommand({ QueryExecutionId: id });
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
      budget.check();
      const { QueryExecution: query = {} } = await callAthena(() => client.send(command));
      const state = query.Status?.State;
      if (state !== 'QUEUED' && state !== 'RUNNING') return query;
      await budget.pause(pauseMs);
    }
  } catch (error) {
    // A query that cannot be stopped ends at its workgroup's limit: what we wait no longer for is the news.
    await client.send(new StopQueryExecutionCommand({ QueryExecutionId: id })).catch(() => undefined);
    throw error;
  }
}

async function resultOf(client: AthenaClient, id: string, budget: Budget): Promise<Row[]> {
  const rows: Row[] = [];
  let next: string | undefined;
  do {
    budget.check();
    const command = new GetQueryResultsCommand({
      QueryExecutionId: id,
      MaxResults: ROWS_PER_PAGE,
      ...(next !== undefined && { NextToken: next }),
    });
    const page = await callAthena(() => client.send(command));
    rows.push(...rowsOf(page));
    next = page.NextToken;
  } while (next !== undefined);
  // The first row of a SELECT holds the names of its columns.
  return rows.slice(1);
}
