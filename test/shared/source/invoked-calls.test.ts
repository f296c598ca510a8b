import { LambdaClient } from '@aws-sdk/client-lambda';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { invokedDataAccess } from '../../../shared/source/invoked-calls.ts';
import {
  createHttpMetricSource,
  type HttpMetricSourceOptions,
} from '../../../shared/source/metric-source.ts';
import { listen } from '../../fixtures/loopback-server.ts';
import { aQuestion } from '../../fixtures/questions.ts';
import { event, KEY, NOW, type Sample, sample, session } from '../../functions/data-access/sample-app.ts';

const SERVICE = 'deltawatch-figures';
const credentials = { accessKeyId: 'none', secretAccessKey: 'none' };

const visit = session();
const data = { sessions: [visit], events: [event(visit), event(visit)] };
let shop: Sample;
beforeAll(async () => {
  shop = await sample(data);
});
afterAll(() => shop.close());

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
}

/** Lambda on loopback. It answers each invocation with the result of `work`. */
async function lambda(work: (event: LambdaEvent) => Promise<Answer> | Answer) {
  const asked: (string | undefined)[] = [];
  const server = await listen(async ({ url }, body, response) => {
    asked.push(url);
    const { status = 200, headers = {}, body: answer } = await work(JSON.parse(body));
    response.writeHead(status, headers).end(JSON.stringify(answer));
  });
  const client = new LambdaClient({
    ...{ endpoint: server.url, region: 'eu-central-1', credentials, maxAttempts: 1 },
  });
  return { ...server, asked, transport: invokedDataAccess(client, SERVICE) };
}

/** The real service as a Lambda function. */
function functionOf({ app }: Sample) {
  const answer = handle(app);
  return lambda(async (request) => ({ body: await answer(request) }));
}

/** The same service over HTTP. */
const overHttp = ({ app }: Sample) => ({
  baseUrl: 'https://data-access.example.com',
  fetch: (url: string, init: RequestInit) => app.request(url, init),
});

type Transport = Pick<HttpMetricSourceOptions, 'baseUrl' | 'fetch'>;
function sourceBy(transport: Transport, options: Partial<HttpMetricSourceOptions> = {}) {
  const clock = new ManualClock(NOW);
  const budget = { takeCalls: () => true };
  return createHttpMetricSource({ ...transport, apiKey: KEY, clock, budget, ...options });
}

test.each([
  ['a query', aQuestion(), 2],
  ['a body', aQuestion({ endpoint: 'user', aggregations: [{ attribute: 'user_count' }] }), 1],
  ['a query with special characters', aQuestion({ eventNames: ['purchase', "é &=+%'[]"] }), 2],
])('a question in %s gets the same answer as over HTTP', async (_, question, figure) => {
  await using invoked = await functionOf(shop);
  const answer = await sourceBy(invoked.transport).read(question);
  expect(answer).toEqual(await sourceBy(overHttp(shop)).read(question));
  const [{ attribute } = { attribute: '' }] = question.aggregations;
  expect(answer).toMatchObject({ kind: 'read', value: [{ current: { [attribute]: figure } }] });
  expect(new Set(invoked.asked)).toEqual(new Set([`/2015-03-31/functions/${SERVICE}/invocations`]));
});

test('an unknown API key is refused and not quoted', async () => {
  await using invoked = await functionOf(shop);
  const apiKey = 'k-unknown';
  const answer = await sourceBy(invoked.transport, { apiKey }).read(aQuestion());
  expect(answer).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('does not accept the API key'),
  });
  expect(JSON.stringify(answer)).not.toContain(apiKey);
});

test('invocations and HTTP calls count against the same rate limit of the key', async () => {
  const limited = await sample({ ...data, settings: { rateLimit: { perSecond: 50, perHour: 3 } } });
  await using invoked = await functionOf(limited);
  for (const transport of [invoked.transport, overHttp(limited), invoked.transport])
    expect(await sourceBy(transport).read(aQuestion())).toMatchObject({ kind: 'read' });
  for (const transport of [invoked.transport, overHttp(limited)])
    expect(await sourceBy(transport).read(aQuestion())).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('limits the call rate (429, RATE_LIMITED'),
      retryable: true,
    });
  await limited.close();
});

describe('a failed invocation is reported', () => {
  const failing: [string, Answer, string][] = [
    [
      'the function timed out',
      {
        headers: { 'X-Amz-Function-Error': 'Unhandled' },
        body: { errorMessage: `Task timed out after ${KEY}`, errorType: 'Sandbox.Timedout' },
      },
      'the data access service failed (502, its function failed or timed out; see its log)',
    ],
    [
      'the function is at its concurrency limit',
      { status: 429, headers: { 'X-Amzn-ErrorType': 'TooManyRequestsException' }, body: {} },
      'the data access service limits the call rate (429, its function is at its concurrency limit)',
    ],
    [
      'the role has no permission to invoke it',
      { status: 403, headers: { 'X-Amzn-ErrorType': 'AccessDeniedException' }, body: {} },
      'the data access service failed (503, Lambda refused the call: AccessDeniedException)',
    ],
    ['Lambda fails', { status: 500, headers: { 'X-Amzn-ErrorType': 'ServiceException' }, body: {} }, '503'],
  ];
  test.each(failing)('as retryable if %s', async (_, answer, reason) => {
    await using broken = await lambda(() => answer);
    const outcome = await sourceBy(broken.transport).read(aQuestion());
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining(reason),
      retryable: true,
    });
    expect(JSON.stringify(outcome)).not.toContain(KEY);
    // The SDK does not retry: the budget counts each attempt.
    expect(broken.asked).toHaveLength(4);
  });

  test('if it takes too long', async () => {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    await using slow = await lambda(() => promise);
    const outcome = await sourceBy(slow.transport, { timeoutMs: 20 }).read(aQuestion());
    resolve({ body: {} });
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('within 20 ms') });
  });

  test('if the response is not one of an HTTP API', async () => {
    await using other = await lambda(() => ({ body: 'hello' }));
    expect(await sourceBy(other.transport).read(aQuestion())).toMatchObject({ kind: 'failed' });
  });
});
