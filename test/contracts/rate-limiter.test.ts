import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { inMemoryRateLimiter } from '../../functions/data-access/requests/in-memory-rate-limiter.ts';
import type { Counted, RateLimiter } from '../../shared/access/rate-limit.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { UpstreamError } from '../../shared/runtime/errors.ts';
import { openTable } from '../../shared/store/dynamodb-table.ts';
import { rateLimiterIn } from '../../shared/store/rate-limiter.ts';
import type { Table } from '../../shared/store/table.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { freePort } from '../fixtures/deltawatch.ts';
import { onBothStores } from './both-stores.ts';

const LIMIT = { perSecond: 2, perHour: 4, enforce: true };
const ON_THE_HOUR = Date.parse('2026-03-02T12:00:00Z');

function rateLimiterContract(limiter: () => RateLimiter) {
  const admit = (at: number, counted: Counted = { keyId: 'k' }, limit = LIMIT) =>
    limiter().admit(counted, limit, ON_THE_HOUR + at);

  test('admits the limit per clock second', async () => {
    expect(await admit(900)).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 1 });
    expect(await admit(999)).toEqual({ allowed: true, limit: 2, remaining: 0, resetSeconds: 1 });
    expect(await admit(999)).toEqual({ allowed: false, limit: 2, remaining: 0, resetSeconds: 1 });
    expect(await admit(1000)).toMatchObject({ allowed: true });
  });

  test('admits the limit per clock hour', async () => {
    for (const at of [0, 1000, 2000, 3000]) expect((await admit(at)).allowed).toBe(true);
    const refused = { allowed: false, limit: 4, remaining: 0 };
    expect(await admit(10_000)).toEqual({ ...refused, resetSeconds: 3590 });
    expect(await admit(HOUR_MS - 1)).toEqual({ ...refused, resetSeconds: 1 });
    expect(await admit(HOUR_MS)).toMatchObject({ allowed: true, remaining: 1 });
  });

  test('does not count refused calls', async () => {
    for (let call = 0; call < 6; call += 1) await admit(0);
    expect((await admit(1000)).allowed).toBe(true);
    expect((await admit(1000)).allowed).toBe(true);
  });

  test('reports the full hour on each further call', async () => {
    for (const at of [0, 1000, 2000, 3000]) await admit(at);
    for (let call = 0; call < 5; call += 1)
      expect(await admit(5000)).toMatchObject({ allowed: false, limit: 4, resetSeconds: 3595 });
  });

  test('reports the window with the fewest remaining calls, else the hour', async () => {
    expect(await admit(0)).toMatchObject({ limit: 2, remaining: 1 });
    expect(await admit(1000)).toMatchObject({ limit: 2, remaining: 1 });
    expect(await admit(2000)).toMatchObject({ limit: 4, remaining: 1, resetSeconds: 3598 });
  });

  test('counts keys separately', async () => {
    await admit(0);
    await admit(0);
    expect((await admit(0)).allowed).toBe(false);
    expect((await admit(0, { keyId: 'other' })).allowed).toBe(true);
  });

  test('counts the apps of a key separately, and calls without an app', async () => {
    const wide = { perSecond: 20, perHour: 20, enforce: true };
    for (let call = 0; call < 20; call += 1) await admit(0, { keyId: 'k', appId: 'wide' }, wide);
    expect((await admit(0, { keyId: 'k', appId: 'wide' }, wide)).allowed).toBe(false);
    expect(await admit(0, { keyId: 'k', appId: 'narrow' })).toMatchObject({ allowed: true, remaining: 1 });
    expect(await admit(0)).toMatchObject({ allowed: true, remaining: 1 });
  });

  test('admits no more than the limit to concurrent callers', async () => {
    const wide = { perSecond: 7, perHour: 500, enforce: true };
    const all = await Promise.all(Array.from({ length: 30 }, () => admit(0, { keyId: 'k' }, wide)));
    expect(all.filter(({ allowed }) => allowed)).toHaveLength(7);
  });
}

onBothStores<RateLimiter>({ inMemory: inMemoryRateLimiter, inTable: rateLimiterIn }, rateLimiterContract);

test('rateLimiterIn throws a retryable error if DynamoDB is unreachable', async () => {
  const credentials = { accessKeyId: 'k', secretAccessKey: 's' };
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const client = new DynamoDBClient({ endpoint, region: 'local', credentials, maxAttempts: 1 });
  const table: Table = openTable('none', client, new ManualClock(0));
  const answer = rateLimiterIn(table).admit({ keyId: 'k' }, LIMIT, 0);
  await expect(answer).rejects.toMatchObject({ name: UpstreamError.name, retryable: true });
});
