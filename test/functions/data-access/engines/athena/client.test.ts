import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { athena, connectAthena } from '../../../../../functions/data-access/engines/athena/client.ts';
import type { StatementClient } from '../../../../../functions/data-access/engines/trino/engine.ts';
import { ManualClock } from '../../../../../shared/runtime/clock.ts';
import { BusyError, QueryLimitError, UpstreamError } from '../../../../../shared/runtime/errors.ts';
import { AthenaServer, type Call, type Reply } from '../athena-server.ts';

const SQL = 'SELECT secret';
const SETTINGS = {
  ...{ workgroup: 'reads', catalog: 'AwsDataCatalog', database: 'analytics' },
  ...{ reuseMinutes: 0, timeoutMs: 25_000 },
};
const TOKEN = 'token-of-thirty-two-characters-x';

let server: AthenaServer;
let clock: ManualClock;
let subject: StatementClient;

beforeAll(async () => {
  server = await AthenaServer.open();
});
afterAll(() => server.close());
beforeEach(() => {
  clock = new ManualClock(0);
  subject = athenaWith({});
});

function athenaWith(settings: object): StatementClient {
  const client = connectAthena({
    endpoint: server.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'key' },
    maxAttempts: 1,
  });
  return athena(client, { ...SETTINGS, ...settings }, { clock, newToken: () => TOKEN });
}

const row = (...cells: (string | null)[]) => ({
  Data: cells.map((cell) => (cell === null ? {} : { VarCharValue: cell })),
});
const page = (columns: Record<string, string>, rows: object[], next?: string) => ({
  NextToken: next,
  ResultSet: {
    ResultSetMetadata: { ColumnInfo: Object.entries(columns).map(([Name, Type]) => ({ Name, Type })) },
    Rows: rows,
  },
});
const status = (Status: object) => ({
  QueryExecution: { Status, Statistics: { DataScannedInBytes: 4_096 } },
});

/** Makes all Athena operations succeed, except for `overrides`. */
function succeeds(overrides: Record<string, (call: Call) => Reply> = {}): void {
  const replies: Record<string, (call: Call) => Reply> = {
    StartQueryExecution: () => ({ QueryExecutionId: 'q1' }),
    GetQueryExecution: () => status({ State: 'SUCCEEDED' }),
    GetQueryResults: () => page({ n: 'bigint' }, [row('n'), row('7')]),
    StopQueryExecution: () => ({}),
    ...overrides,
  };
  server.replies((call) => replies[call.operation]?.(call) ?? { error: 'NoSuchOperation', status: 400 });
}
const endsWith = (Status: object) => succeeds({ GetQueryExecution: () => status(Status) });
const operations = () => server.calls.map(({ operation }) => operation);

async function failure(asked: Promise<unknown>): Promise<Error> {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error('nothing was thrown');
  expect(`${error.message} ${error.cause}`).not.toMatch(/SELECT|secret/);
  return error;
}

test('returns the rows and the bytes scanned', async () => {
  succeeds();
  await expect(subject.runStatement(SQL)).resolves.toEqual({ rows: [{ n: 7 }], bytesScanned: 4_096 });
  expect(server.calls[0]?.input).toEqual({
    QueryString: SQL,
    ClientRequestToken: TOKEN,
    WorkGroup: 'reads',
    QueryExecutionContext: { Catalog: 'AwsDataCatalog', Database: 'analytics' },
    ResultReuseConfiguration: { ResultReuseByAgeConfiguration: { Enabled: false } },
  });
});

test('reuses results if the settings allow it', async () => {
  succeeds();
  await athenaWith({ reuseMinutes: 5 }).runStatement(SQL);
  expect(server.calls[0]?.input.ResultReuseConfiguration).toEqual({
    ResultReuseByAgeConfiguration: { Enabled: true, MaxAgeInMinutes: 5 },
  });
});

test('reads each cell as the type of its column', async () => {
  const columns = {
    text: 'varchar',
    empty: 'varchar',
    absent: 'varchar',
    whole: 'bigint',
    small: 'integer',
    part: 'double',
    tiny: 'double',
    nan: 'double',
    endless: 'double',
    yes: 'boolean',
    no: 'boolean',
    nothing: 'unknown',
  };
  const cells = ['007', '', null, '1709251200000', '-3', '1.5E10', '1.0E-7'];
  succeeds({
    GetQueryResults: () =>
      page(columns, [
        row(...Object.keys(columns)),
        row(...cells, 'NaN', '-Infinity', 'true', 'false', null),
        row(...Object.keys(columns).map(() => null)),
      ]),
  });
  const { rows } = await subject.runStatement(SQL);
  expect(rows).toEqual([
    {
      text: '007',
      empty: '',
      absent: null,
      whole: 1_709_251_200_000,
      small: -3,
      part: 1.5e10,
      tiny: 1e-7,
      nan: null,
      endless: null,
      yes: true,
      no: false,
      nothing: null,
    },
    Object.fromEntries(Object.keys(columns).map((name) => [name, null])),
  ]);
});

test('rejects array columns', async () => {
  succeeds({ GetQueryResults: () => page({ a: 'array' }, [row('a'), row('[x, y]')]) });
  expect((await failure(subject.runStatement(SQL))).message).toContain('array');
});

test('reads all pages, and the header row only once', async () => {
  const pages: Record<string, object> = {
    first: page({ n: 'bigint' }, [row('n'), row('1')], 'second'),
    second: page({ n: 'bigint' }, [row('2'), row('3')]),
  };
  succeeds({ GetQueryResults: ({ input }) => pages[String(input.NextToken ?? 'first')] ?? {} });
  expect((await subject.runStatement(SQL)).rows).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

describe('polling', () => {
  test('slows down, and ends with the query', async () => {
    const states = ['QUEUED', 'RUNNING', 'QUEUED', 'RUNNING', 'SUCCEEDED'];
    succeeds({ GetQueryExecution: () => status({ State: states.shift() }) });
    await subject.runStatement(SQL);
    expect(clock.now()).toBe(100 + 150 + 225 + 337.5);
  });

  test('ends at the time limit, and stops the query', async () => {
    endsWith({ State: 'RUNNING' });
    expect(await failure(subject.runStatement(SQL))).toEqual(new QueryLimitError('stopped after 25000 ms'));
    expect(clock.now()).toBe(25_000);
    expect(server.calls.at(-1)).toEqual({
      operation: 'StopQueryExecution',
      input: { QueryExecutionId: 'q1' },
    });
  });

  test('ends at the time limit as busy if the query only waited in the queue of Athena', async () => {
    endsWith({ State: 'QUEUED' });
    expect(await failure(subject.runStatement(SQL))).toBeInstanceOf(BusyError);
    expect(operations().at(-1)).toBe('StopQueryExecution');
  });

  test('ends at the time limit between pages', async () => {
    succeeds({
      GetQueryResults: () => {
        clock.advanceTo(clock.now() + 10_000);
        return page({ n: 'bigint' }, [row('1')], 'more');
      },
    });
    expect(await failure(subject.runStatement(SQL))).toBeInstanceOf(QueryLimitError);
    expect(operations().filter((operation) => operation === 'GetQueryResults')).toHaveLength(3);
  });

  test('ends when the caller aborts, and stops the query', async () => {
    const caller = new AbortController();
    succeeds({
      GetQueryExecution: () => {
        caller.abort(new Error('the caller has gone'));
        return status({ State: 'RUNNING' });
      },
    });
    const error = await failure(subject.runStatement(SQL, { signal: caller.signal }));
    expect(error.message).toBe('the caller has gone');
    expect(operations()).toEqual(['StartQueryExecution', 'GetQueryExecution', 'StopQueryExecution']);
  });

  test('stops the query if it fails', async () => {
    succeeds({ GetQueryExecution: () => ({ error: 'TooManyRequestsException', status: 400 }) });
    expect(await failure(subject.runStatement(SQL))).toMatchObject({ retryable: true });
    expect(operations().at(-1)).toBe('StopQueryExecution');
  });
});

describe('a query stopped by a limit', () => {
  test.each([
    [
      'scan limit',
      { State: 'CANCELLED', StateChangeReason: 'Bytes scanned limit was exceeded: SELECT secret' },
    ],
    [
      'scan limit',
      { State: 'FAILED', StateChangeReason: 'Query cancelled! : Bytes scanned limit was exceeded' },
    ],
    ['resources', { State: 'FAILED', AthenaError: { ErrorCategory: 1, ErrorType: 0 } }],
    ['resources', { State: 'FAILED', StateChangeReason: 'Query exhausted resources at this scale factor' }],
    ['time limit', { State: 'FAILED', AthenaError: { ErrorCategory: 1, ErrorType: 206 } }],
  ])('names the limit: %s', async (limit, state) => {
    endsWith(state);
    const error = await failure(subject.runStatement(SQL));
    expect(error).toBeInstanceOf(QueryLimitError);
    expect(error.message).toContain(limit);
    expect(operations()).not.toContain('StopQueryExecution');
  });

  test('that limits its length is not started', async () => {
    succeeds();
    // The limit is in bytes, and each letter has two.
    const longest = `'${'é'.repeat(131_071)}'`;
    await subject.runStatement(longest);
    server.calls.length = 0;
    expect(await failure(subject.runStatement(`${longest} `))).toBeInstanceOf(QueryLimitError);
    expect(server.calls).toEqual([]);
  });
});

describe('a failed query', () => {
  const reason = { StateChangeReason: 'line 1:8: Column secret cannot be resolved' };
  test.each([
    ['user error', { State: 'FAILED', AthenaError: { ErrorCategory: 2, ErrorType: 1000 } }, false],
    ['system error', { State: 'FAILED', AthenaError: { ErrorCategory: 1, ErrorType: 200 } }, true],
    [
      'error marked as permanent',
      { State: 'FAILED', AthenaError: { ErrorCategory: 1, Retryable: false } },
      false,
    ],
    ['failure without details', { State: 'FAILED' }, false],
    ['cancellation by another client', { State: 'CANCELLED' }, true],
  ])('(%s) says whether a retry may help', async (_, state, retryable) => {
    endsWith({ ...reason, ...state });
    const error = await failure(subject.runStatement(SQL));
    expect(error).toBeInstanceOf(UpstreamError);
    expect(error).toMatchObject({ retryable });
  });
});

describe('a rejected call', () => {
  test.each([
    ['TooManyRequestsException', 400, true],
    ['ThrottlingException', 400, true],
    ['InternalServerException', 500, true],
    ['InvalidRequestException', 400, false],
    ['AccessDeniedException', 400, false],
  ])('with %s says whether a retry may help', async (name, code, retryable) => {
    succeeds({ StartQueryExecution: () => ({ error: name, status: code }) });
    const error = await failure(subject.runStatement(SQL));
    expect(error).toMatchObject({
      name: 'UpstreamError',
      retryable,
      message: `Athena rejected the call: ${name}`,
    });
    expect(String(error.cause)).toContain('request-1');
  });

  test('is retryable if Athena cannot be reached', async () => {
    const gone = await AthenaServer.open();
    const client = connectAthena({
      endpoint: gone.url,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'id', secretAccessKey: 'key' },
      maxAttempts: 1,
    });
    await gone.close();
    const unreachable = athena(client, SETTINGS, { clock, newToken: () => TOKEN });
    expect(await failure(unreachable.runStatement(SQL))).toMatchObject({
      message: 'Athena cannot be reached',
      retryable: true,
    });
  });
});

test('a server that never answers is abandoned at the time limit', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const client = connectAthena({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'key' },
  });
  const asked = athena(client, { ...SETTINGS, timeoutMs: 300 }, { clock, newToken: () => TOKEN });
  await expect(asked.runStatement(SQL)).rejects.toThrow(QueryLimitError);
  silent.closeAllConnections();
  silent.close();
});
