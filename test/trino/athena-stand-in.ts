import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import * as z from 'zod';
import { type Result, runStatement, type Session, StatementError } from './statement.ts';

const startSchema = z.object({
  QueryString: z.string().min(1).max(262_144),
  ClientRequestToken: z.string().min(32).max(128),
  WorkGroup: z.string(),
  QueryExecutionContext: z.object({ Catalog: z.string(), Database: z.string() }),
});
const executionSchema = z.object({ QueryExecutionId: z.string() });
const resultsSchema = executionSchema.extend({
  MaxResults: z.int().min(1).max(1_000).default(1_000),
  NextToken: z.string().optional(),
});

interface Execution {
  state: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  readonly stopping: AbortController;
  result?: Result;
  error?: StatementError;
}

export interface AthenaStandIn {
  readonly url: string;
  /** The states of all queries, in order of their start. */
  states(): readonly Execution['state'][];
  close(): Promise<void>;
}

/** The API of Athena on loopback, in front of Trino. */
export async function startAthenaStandIn(trino: string): Promise<AthenaStandIn> {
  const executions = new Map<string, Execution>();
  const answer = async (request: IncomingMessage): Promise<object> => {
    const operation = String(request.headers['x-amz-target']).replace('AmazonAthena.', '');
    const input: unknown = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const act = OPERATIONS.get(operation);
    if (act === undefined) throw new Refusal(`no operation ${operation}`);
    return act({ trino, executions }, input);
  };
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    try {
      response.end(JSON.stringify(await answer(request)));
    } catch (error) {
      const refusal = { __type: 'InvalidRequestException', Message: String(error) };
      response.writeHead(400).end(JSON.stringify(refusal));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    states: () => [...executions.values()].map(({ state }) => state),
    async close() {
      for (const { stopping } of executions.values()) stopping.abort();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

class Refusal extends Error {}

interface Service {
  readonly trino: string;
  /** By the client request token, so that a repeated start has no effect. */
  readonly executions: Map<string, Execution>;
}

const OPERATIONS: ReadonlyMap<string, (service: Service, input: unknown) => object> = new Map([
  ['StartQueryExecution', startQuery],
  ['GetQueryExecution', (service, input) => describeQuery(executionOf(service, input))],
  ['GetQueryResults', getResults],
  ['StopQueryExecution', stopQuery],
]);

function startQuery({ trino, executions }: Service, input: unknown): object {
  const start = startSchema.parse(input);
  const id = start.ClientRequestToken;
  const { Catalog: catalog, Database: schema } = start.QueryExecutionContext;
  if (!executions.has(id)) {
    const execution: Execution = { state: 'RUNNING', stopping: new AbortController() };
    executions.set(id, execution);
    void follow(execution, { url: trino, catalog: catalog.toLowerCase(), schema }, start.QueryString);
  }
  return { QueryExecutionId: id };
}

async function follow(execution: Execution, session: Session, sql: string): Promise<void> {
  try {
    execution.result = await runStatement(session, sql, execution.stopping.signal);
    execution.state = 'SUCCEEDED';
  } catch (error) {
    if (error instanceof StatementError) execution.error = error;
    execution.state = execution.stopping.signal.aborted ? 'CANCELLED' : 'FAILED';
  }
}

function executionOf({ executions }: Service, input: unknown): Execution {
  const { QueryExecutionId: id } = executionSchema.parse(input);
  const execution = executions.get(id);
  if (execution === undefined) throw new Refusal(`QueryExecution ${id} was not found`);
  return execution;
}

function stopQuery(service: Service, input: unknown): object {
  executionOf(service, input).stopping.abort();
  return {};
}

/** Trino's error types as categories and types of Athena errors. */
const ERRORS: Readonly<Record<string, { ErrorCategory: number; ErrorType: number }>> = {
  USER_ERROR: { ErrorCategory: 2, ErrorType: 1000 },
  INSUFFICIENT_RESOURCES: { ErrorCategory: 1, ErrorType: 1 },
};

function describeQuery({ state, result, error }: Execution): object {
  const { ErrorCategory, ErrorType } = ERRORS[error?.type ?? ''] ?? { ErrorCategory: 1, ErrorType: 200 };
  return {
    QueryExecution: {
      Status: {
        State: state,
        ...(error && {
          StateChangeReason: `${error.kind}: ${error.message}`,
          AthenaError: { ErrorCategory, ErrorType, Retryable: false, ErrorMessage: error.message },
        }),
      },
      Statistics: { DataScannedInBytes: result?.bytesScanned ?? 0 },
    },
  };
}

function getResults(service: Service, input: unknown): object {
  const { result } = executionOf(service, input);
  if (result === undefined) throw new Refusal('the query has no result');
  const { MaxResults: size, NextToken: token } = resultsSchema.parse(input);
  const from = Number(token ?? 0);
  const rows = [result.columns.map(({ name }) => name), ...result.rows];
  return {
    ...(from + size < rows.length && { NextToken: String(from + size) }),
    ResultSet: {
      ResultSetMetadata: {
        ColumnInfo: result.columns.map(({ name, type }) => ({ Name: name, Type: typeOf(type) })),
      },
      Rows: rows.slice(from, from + size).map((cells) => ({ Data: cells.map(datumOf) })),
    },
  };
}

/** `varchar(3)` is `varchar` with a precision, `array(varchar)` is `array`. */
const typeOf = (type: string): string => (type === 'real' ? 'float' : type.replace(/\(.*\)/, ''));

const datumOf = (cell: unknown): object => (cell === null ? {} : { VarCharValue: String(cell) });
