import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { listen } from '../../fixtures/loopback-server.ts';
import { aQuestion } from '../../fixtures/questions.ts';
import { compared, NOW, page, type Reply, rows, sourceOf } from './replying-source.ts';

describe('responses that are retried', () => {
  test.each<{ name: string; reply: Reply; waits: number }>([
    { name: '429 with seconds', reply: { status: 429, headers: { 'Retry-After': '7' } }, waits: 7000 },
    {
      name: '429 with a date',
      reply: { status: 429, headers: { 'Retry-After': 'Wed, 01 Apr 2026 11:10:03 GMT' } },
      waits: 3000,
    },
    {
      name: '429 with the reset only',
      reply: { status: 429, headers: { 'X-RateLimit-Reset': '2' } },
      waits: 2000,
    },
    { name: '429 without a header', reply: { status: 429 }, waits: 1000 },
    { name: '500', reply: { status: 500 }, waits: 1000 },
    { name: '503 with HTML', reply: { status: 503, body: '<html>' }, waits: 1000 },
  ])('$name', async ({ reply, waits }) => {
    const { source, asked } = sourceOf([reply, rows(compared)]);
    expect(await source.read(aQuestion())).toMatchObject({ kind: 'read' });
    expect(asked.map(({ at }) => at)).toEqual([0, waits]);
  });

  test('three times at most, with growing waits', async () => {
    const { source, asked } = sourceOf(Array.from({ length: 9 }, () => ({ status: 502 })));
    expect(await source.read(aQuestion())).toEqual({
      kind: 'failed',
      reason: 'the data access service failed (502)',
      retryable: true,
    });
    expect(asked.map(({ at }) => at)).toEqual([0, 1000, 3000, 7000]);
  });

  test('not a question that reached the limit of the service', async () => {
    const body = { error: { code: 'QUERY_TIMEOUT', message: 'the query exceeded its time limit' } };
    const { source, asked } = sourceOf([{ status: 504, body }, rows(compared)]);
    expect(await source.read(aQuestion())).toMatchObject({ kind: 'failed', retryable: true });
    expect(asked).toHaveLength(1);
  });

  test('not a question that failed after half a minute', async () => {
    const clock = new ManualClock(NOW);
    const asked: string[] = [];
    const { source } = sourceOf([], {
      clock,
      fetch: async (url) => {
        asked.push(url);
        clock.advanceTo(clock.now() + 30_000);
        return new Response('', { status: 502 });
      },
    });
    expect(await source.read(aQuestion())).toMatchObject({ kind: 'failed', retryable: true });
    expect(asked).toHaveLength(1);
  });

  test('an unreachable service', async () => {
    const server = await listen(() => {});
    await server[Symbol.asyncDispose]();
    const { source } = sourceOf([], { baseUrl: server.url, fetch });
    expect(await source.read(aQuestion())).toEqual({
      kind: 'failed',
      reason: 'the data access service cannot be reached (ECONNREFUSED)',
      retryable: true,
    });
  });

  test('a service that never answers', async () => {
    await using server = await listen(() => {});
    const { source } = sourceOf([], { baseUrl: server.url, fetch, timeoutMs: 20 });
    expect(await source.read(aQuestion())).toEqual({
      kind: 'failed',
      reason: 'the data access service did not answer within 20 ms',
      retryable: true,
    });
  });
});

describe('the call budget and rate', () => {
  test('counts each request, including pages and retries', async () => {
    const taken: unknown[] = [];
    const { source } = sourceOf(
      [
        { status: 500 },
        page(2, { app_version: '1', ...compared }),
        page(null, { app_version: '2', ...compared }),
      ],
      { budget: { takeCalls: (...call) => taken.push(call) > 0 } },
    );
    await source.read(aQuestion({ segmentBy: { attribute: 'app_version' } }));
    expect(taken).toEqual([
      ['shop', NOW, 1, 'whole'],
      ['shop', NOW + 1000, 1, 'whole'],
      ['shop', NOW + 1200, 1, 'whole'],
    ]);
  });

  test('sends no request without budget', async () => {
    const { source, asked } = sourceOf([], { budget: { takeCalls: async () => false } });
    const spent = { kind: 'budget-spent', reason: 'no calls are left this hour for the app "shop"' };
    expect(await source.read(aQuestion())).toEqual(spent);
    expect(await source.readNewestEventAt('shop', NOW)).toEqual(spent);
    expect(asked).toEqual([]);
  });

  test('throws if the budget cannot be read', async () => {
    const broken = new Error('the table is gone');
    const { source } = sourceOf([], { budget: { takeCalls: () => Promise.reject(broken) } });
    await expect(source.read(aQuestion())).rejects.toBe(broken);
  });

  test('spaces concurrent calls by the rate limit', async () => {
    const replies = Array.from({ length: 4 }, () => rows(compared));
    const waited: number[] = [];
    const clock = { now: () => NOW, sleep: async (ms: number) => void waited.push(ms) };
    const { source } = sourceOf(replies, { clock, requestsPerSecond: 2 });
    await Promise.all(replies.map(() => source.read(aQuestion())));
    expect(waited).toEqual([500, 1000, 1500]);
  });
});
