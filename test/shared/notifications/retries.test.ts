import { expect, test } from 'vitest';
import { take } from '../../../shared/notifications/delivery.ts';
import { queueNotification } from '../../../shared/notifications/pending-notifications.ts';
import { postpone, retryAt } from '../../../shared/notifications/retries.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/units/durations.ts';
import { alertOf, dayAt, MONDAY, ROUTES, ruleNamed } from '../../fixtures/builders.ts';

test('each wait is twice as long as the one before, at most an hour', () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(
    (attempts) => retryAt(MONDAY, attempts, { permanent: false }) - MONDAY,
  );
  expect(waits.map((wait) => wait / MINUTE_MS)).toEqual([1, 1, 2, 4, 8, 16, 32, 60, 60]);
});

test.each([
  { refusal: { permanent: true }, waitMs: HOUR_MS },
  { refusal: { permanent: false, retryAfterMs: 1 }, waitMs: MINUTE_MS },
  { refusal: { permanent: false, retryAfterMs: 5 * MINUTE_MS }, waitMs: 5 * MINUTE_MS },
  { refusal: { permanent: false, retryAfterMs: 2 * HOUR_MS }, waitMs: HOUR_MS },
])('after $refusal, the first wait is $waitMs ms', ({ refusal, waitMs }) => {
  expect(retryAt(MONDAY, 1, refusal)).toBe(MONDAY + waitMs);
});

test('an attempt that certainly reached nobody does not count', () => {
  const rule = ruleNamed('sales');
  const fired = queueNotification(alertOf(rule), rule, ROUTES, {
    ...{ transition: 'fired', reason: { code: 'evaluation' }, windowEndAt: dayAt(1).endAt, evaluation: null },
    ...{ firedWindowEndAt: null, tick: { id: 'tick', scheduledAt: dayAt(1).endAt } },
  });
  const [key = ''] = Object.keys(fired.pending);
  const tried = take(take(fired, [key], MONDAY), [key], MONDAY);
  const attemptsAfter = (...args: [number, boolean?]) => postpone(tried, key, ...args).pending[key]?.attempts;
  expect([attemptsAfter(MONDAY), attemptsAfter(MONDAY, true)]).toEqual([2, 1]);
  expect(postpone(fired, key, MONDAY, true).pending[key]).toMatchObject({ dueAt: MONDAY, attempts: 0 });
  expect(postpone(fired, 'other', MONDAY)).toBe(fired);
});
