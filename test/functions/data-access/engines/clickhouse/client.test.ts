import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { connectClickHouse } from '../../../../../functions/data-access/engines/clickhouse/client.ts';
import type { ClickHouse } from '../../../../../functions/data-access/engines/clickhouse/engine.ts';
import { clickHouseFailure } from '../../../../../functions/data-access/engines/clickhouse/failures.ts';

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function connect(answer: Answer, { graceMs }: { graceMs?: number } = {}): Promise<ClickHouse> {
  const server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const { port } = server.address() as AddressInfo;
  const url = `http://team:hidden-word@127.0.0.1:${port}/shop`;
  const client = await connectClickHouse({ url, connections: 1 }, graceMs);
  closing.push(() => client.close());
  return client;
}

const ONE = JSON.stringify({ meta: [{ name: 'n', type: 'UInt8' }], data: [[1]], rows: 1 });
const options = { signal: new AbortController().signal, timeoutMs: 60_000 };

test('a statement may only read, ends in the server at its limit and when the client has gone', async () => {
  const asked: URLSearchParams[] = [];
  const client = await connect(({ url }, response) => {
    asked.push(new URL(String(url), 'http://host').searchParams);
    response.end(ONE);
  });
  expect(await client.run('select 1 as n', options)).toEqual({
    columns: [{ name: 'n', type: 'UInt8' }],
    rows: [[1]],
  });
  const [settings] = asked;
  expect(settings?.get('database')).toBe('shop');
  expect(settings?.get('readonly')).toBe('2');
  expect(settings?.get('cancel_http_readonly_queries_on_client_close')).toBe('1');
  expect(Number(settings?.get('max_execution_time'))).toBeCloseTo(60, 0);
});

test('the bytes that it read are those that the server tells', async () => {
  const statistics = { elapsed: 0.1, rows_read: 2, bytes_read: 4096 };
  const client = await connect((_request, response) =>
    response.end(JSON.stringify({ ...JSON.parse(ONE), statistics })),
  );
  expect((await client.run('select 1 as n', options)).bytesScanned).toBe(4096);
});

test('a server that never answers is a failure that passes, after the limit and the grace', async () => {
  const client = await connect(() => {}, { graceMs: 10 });
  await expect(client.run('select 1', { ...options, timeoutMs: 10 })).rejects.toMatchObject({
    name: 'UpstreamError',
    message: 'ClickHouse did not answer in time',
    retryable: true,
  });
});

test('a caller who leaves closes the connection, and the next statement has it', async () => {
  const gone = Promise.withResolvers<void>();
  let requests = 0;
  const client = await connect((request, response) => {
    requests += 1;
    if (requests > 1) return void response.end(ONE);
    request.socket.on('close', () => gone.resolve());
    caller.abort(new Error('left'));
  });
  const caller = new AbortController();
  await expect(client.run('select 1', { ...options, signal: caller.signal })).rejects.toThrow('left');
  await gone.promise;
  expect((await client.run('select 1 as n', options)).rows).toEqual([[1]]);
});

test('a statement that waits for a connection longer than its limit finds the service busy', async () => {
  const client = await connect(() => {});
  const first = client.run('select 1', options).catch(() => {});
  await expect(client.run('select 2', { ...options, timeoutMs: 10 })).rejects.toMatchObject({
    name: 'BusyError',
  });
  void first;
});

test.each([
  { code: 159, name: 'QueryLimitError', message: 'stopped at the time limit of a request' },
  { code: 241, name: 'QueryLimitError', message: 'ClickHouse ran out of memory' },
  { code: 202, name: 'UpstreamError', message: 'ClickHouse failed (202)', retryable: true },
  {
    code: 497,
    name: 'UpstreamError',
    message: 'ClickHouse rejected the query: the user may not read a table (497)',
    retryable: false,
  },
])('the failure $code is $name', async ({ code, ...failure }) => {
  const client = await connect((_, response) => {
    response.writeHead(500, { 'X-ClickHouse-Exception-Code': String(code) });
    response.end(`Code: ${code}. DB::Exception: secret-value in select secret_column. (SOME_NAME)`);
  });
  const error = await client.run('select secret_column', options).catch(clickHouseFailure);
  expect(error).toMatchObject(failure);
  expect(String(Object(error).cause)).not.toMatch(/secret/);
});

test.each([
  'http://team:12?hidden@host/shop',
  'clickhouse://team:hid%den@host/shop',
  'clickhouse://team@host/shop?secure=true',
])('the URL %s is refused, and not quoted', async (url) => {
  const error: unknown = await connectClickHouse({ url, connections: 1 }).catch((each: unknown) => each);
  expect(error).toMatchObject({
    name: 'ConfigError',
    message: expect.stringContaining('must have the form'),
  });
  expect(String(error)).not.toMatch(/hid/);
});
