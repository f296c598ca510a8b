import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { trino } from '../../../../../functions/data-access/engines/trino/client.ts';
import { ConfigError } from '../../../../../shared/runtime/errors.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}
interface Page {
  readonly status?: number;
  readonly state?: string;
  readonly isLast?: boolean;
  /** The whole body, instead of a page. */
  readonly text?: string;
  readonly [key: string]: unknown;
}

/** A server that answers each request with the next page; the last page stays. */
async function connect(pages: readonly Page[], { timeoutMs = 60_000 } = {}) {
  const asked: Asked[] = [];
  let next = 0;
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    asked.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
    const {
      status = 200,
      state = 'RUNNING',
      isLast,
      text,
      ...page
    } = pages[Math.min(next, pages.length - 1)] ?? {};
    next += 1;
    response.statusCode = status;
    const nextUri = isLast ? undefined : `${url()}/v1/statement/executing/${next}`;
    response.end(
      text ?? JSON.stringify({ stats: { state, physicalInputBytes: 7 * next }, nextUri, ...page }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = trino({
    url: url().replace('//', '//reader:hidden%2Dword@'),
    catalog: 'lake',
    schema: 'shop',
    timeoutMs,
  });
  return { client, asked };
}

const COLUMNS = [
  { name: 'n', type: 'decimal(38,0)' },
  { name: 'name', type: 'varchar(3)' },
  { name: 'ratio', type: 'double' },
];

test('a statement asks for its pages until the last, as the user of the URL', async () => {
  const { client, asked } = await connect([
    { state: 'QUEUED' },
    { status: 503 },
    { columns: COLUMNS, data: [['12', 'ann', 'NaN']] },
    { columns: COLUMNS, data: [['3', null, 0.5]], isLast: true },
  ]);
  let turns = 0;
  expect(await client.runStatement('select 1', { onTurn: () => (turns += 1) })).toEqual({
    rows: [
      { n: 12, name: 'ann', ratio: null },
      { n: 3, name: null, ratio: 0.5 },
    ],
    bytesScanned: 28,
  });
  expect(turns).toBeGreaterThan(0);
  expect(asked.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET']);
  expect(asked[0]).toMatchObject({
    path: '/v1/statement',
    body: 'select 1',
    headers: {
      authorization: `Basic ${Buffer.from('reader:hidden-word').toString('base64')}`,
      'x-trino-user': 'reader',
      'x-trino-catalog': 'lake',
      'x-trino-schema': 'shop',
      'x-trino-session': 'query_max_run_time=60s',
    },
  });
});

describe('a statement that ends early is cancelled', () => {
  test('when the caller leaves', async () => {
    const { client, asked } = await connect([{}]);
    const caller = new AbortController();
    const left = new Error('left');
    const running = client.runStatement('select 1', {
      signal: caller.signal,
      onTurn: () => caller.abort(left),
    });
    await expect(running).rejects.toBe(left);
    expect(asked.at(-1)?.method).toBe('DELETE');
  });

  test.each([
    { state: 'RUNNING', name: 'QueryLimitError', message: 'stopped after 50 ms' },
    { state: 'QUEUED', name: 'BusyError', message: 'waited in the queue of Trino' },
  ])('at its limit: $state', async ({ state, ...failure }) => {
    const { client, asked } = await connect([{ state }], { timeoutMs: 50 });
    await expect(client.runStatement('select 1')).rejects.toMatchObject(failure);
    expect(asked.at(-1)?.method).toBe('DELETE');
  });
});

const failed = (errorName: string, errorType: string): Page => ({
  isLast: true,
  error: { message: "line 1:8: Column 'secret-value' cannot be resolved", errorName, errorType },
});

test.each<{ page: Page; name: string; message: string; retryable?: boolean }>([
  {
    page: failed('COLUMN_NOT_FOUND', 'USER_ERROR'),
    ...{ name: 'UpstreamError', message: 'Trino rejected the query (COLUMN_NOT_FOUND)', retryable: false },
  },
  {
    page: failed('EXCEEDED_LOCAL_MEMORY_LIMIT', 'INSUFFICIENT_RESOURCES'),
    ...{ name: 'QueryLimitError', message: 'the query exhausted the resources of Trino' },
  },
  {
    page: failed('EXCEEDED_TIME_LIMIT', 'INSUFFICIENT_RESOURCES'),
    ...{ name: 'QueryLimitError', message: 'stopped at the time limit of a request' },
  },
  {
    page: failed('NO_NODES_AVAILABLE', 'INTERNAL_ERROR'),
    ...{ name: 'UpstreamError', message: 'the query failed in Trino (NO_NODES_AVAILABLE)', retryable: true },
  },
  {
    page: { status: 401 },
    ...{
      name: 'UpstreamError',
      message: 'Trino does not accept the user or the password (401)',
      retryable: false,
    },
  },
  { page: { stats: 'none' }, name: 'UpstreamError', message: 'Trino cannot be reached', retryable: true },
])('$message', async ({ page, ...failure }) => {
  const { client } = await connect([page]);
  const error: unknown = await client.runStatement('select secret').catch((each: unknown) => each);
  expect(error).toMatchObject(failure);
  expect(String(error) + String(Object(error).cause)).not.toMatch(/secret|hidden/);
});

test('the author of a configuration reads why a SELECT is wrong', async () => {
  const { client } = await connect([failed('COLUMN_NOT_FOUND', 'USER_ERROR')]);
  await expect(client.describe('select x')).rejects.toMatchObject({
    name: 'SqlRejected',
    message: "COLUMN_NOT_FOUND: line 1:8: Column 'secret-value' cannot be resolved",
  });
});

test.each(['trino://reader:hidden@host', 'https://reader:hid%den@host'])('the URL %s is refused', (url) => {
  expect(() => trino({ url, timeoutMs: 1 })).toThrow(
    new ConfigError('the URL of Trino must have the form https://user:password@host:8443, with %25 for "%"'),
  );
});

test('only the server of the URL gets the password, whatever the address of the next page', async () => {
  const { client, asked } = await connect([
    { nextUri: 'https://elsewhere.invalid/v1/statement/executing/1?slug=x' },
    { columns: COLUMNS, data: [['1', 'ann', 2]], isLast: true },
  ]);
  expect((await client.runStatement('select 1')).rows).toHaveLength(1);
  expect(asked.map(({ path }) => path)).toEqual(['/v1/statement', '/v1/statement/executing/1?slug=x']);
});

test('the page of a proxy instead of an answer is a failure, which does not quote it', async () => {
  const { client } = await connect([{ text: '<p>secret</p>' }]);
  const error: unknown = await client.runStatement('select 1').catch((each: unknown) => each);
  expect(error).toMatchObject({ name: 'UpstreamError', message: 'Trino cannot be reached' });
  expect(String(error) + String(Object(error).cause)).not.toContain('secret');
});
