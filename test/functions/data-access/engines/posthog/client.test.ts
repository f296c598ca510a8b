import { expect, test } from 'vitest';
import { postHog } from '../../../../../functions/data-access/engines/posthog/client.ts';
import { requestErrorFrom } from '../../../../../functions/data-access/requests/request-error.ts';
import { systemClock } from '../../../../../shared/runtime/clock.ts';
import { everythingIn } from '../../../../fixtures/everything-in.ts';
import { listen } from '../../../../fixtures/loopback-server.ts';

const KEY = 'phx_hidden-word';
const options = { signal: new AbortController().signal, timeoutMs: 60_000 };
const ONE = JSON.stringify({ columns: ['n'], types: [['n', 'UInt8']], results: [[1]], is_cached: false });

async function connect(answer: Parameters<typeof listen>[0]) {
  const server = await listen(answer);
  const client = postHog({ host: server.url, project: 12, key: KEY, clock: systemClock });
  return { client, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test('a question has the key, and asks for figures that are not kept', async () => {
  const asked: object[] = [];
  await using opened = await connect(({ method, url, headers: { authorization } }, body, response) => {
    asked.push({ method, url, authorization, body: JSON.parse(body) });
    response.end(ONE);
  });
  expect(await opened.client.run('select 1 as n', options)).toEqual({
    columns: [{ name: 'n', type: 'UInt8' }],
    rows: [[1]],
  });
  const body = {
    query: { kind: 'HogQLQuery', query: 'select 1 as n' },
    refresh: 'force_blocking',
  };
  expect(asked).toEqual([
    { method: 'POST', url: '/api/projects/12/query/', authorization: `Bearer ${KEY}`, body },
  ]);
});

test('questions wait for each other', async () => {
  let running = 0;
  let most = 0;
  await using opened = await connect((_request, _body, response) => {
    most = Math.max(most, ++running);
    setImmediate(() => {
      running -= 1;
      response.end(ONE);
    });
  });
  await Promise.all(Array.from({ length: 5 }, () => opened.client.run('select 1', options)));
  expect(most).toBe(1);
});

test('a question ends at its limit', async () => {
  await using opened = await connect(() => {});
  const asked = opened.client.run('select 1', { ...options, timeoutMs: 50 });
  await expect(asked).rejects.toMatchObject({ name: 'QueryLimitError' });
});

test.each([
  { status: 301, says: 'PostHog has another address than "host": it redirects', retryable: false },
  { status: 401, says: 'PostHog does not accept the personal API key', retryable: false },
  { status: 403, says: /needs the scope "query:read"/, retryable: false },
  { status: 404, says: 'PostHog has no such project', retryable: false },
  { status: 429, says: 'PostHog asks to wait (429)', retryable: true },
  { status: 503, says: 'PostHog failed (503)', retryable: true },
  { status: 504, says: 'stopped at a limit of PostHog' },
  { status: 400, says: "Unable to resolve field: 'os'" },
  { status: 200, body: '<html>', says: /is "host" the address of PostHog/, retryable: false },
  {
    status: 200,
    body: JSON.stringify({ columns: ['n'], types: [['n', 'UInt8']], results: Array(50_000).fill([1]) }),
    says: /50000 rows, the most/,
  },
])('an answer of $status: $says', async ({ status, says, body, ...failure }) => {
  const detail = JSON.stringify({ detail: "Unable to resolve field: 'os'" });
  await using opened = await connect(
    (_request, _body, response) => void response.writeHead(status).end(body ?? detail),
  );
  const error = await opened.client.run('select 1', options).catch((reason: unknown) => reason);
  const message = typeof says === 'string' ? says : expect.stringMatching(says);
  expect(error).toMatchObject({ message, ...failure });
  expect(everythingIn(error)).not.toContain(KEY);
});

test('the wait that PostHog asks for is passed on', async () => {
  await using opened = await connect(
    (_request, _body, response) => void response.writeHead(429, { 'Retry-After': '7' }).end('{}'),
  );
  const error = await opened.client.run('select 1', options).catch((reason: unknown) => reason);
  expect(requestErrorFrom(error as Error)).toMatchObject({ status: 503, retryAfterSeconds: 7 });
});
