import { expect, test } from 'vitest';
import { callShortageText } from '../../../shared/messages/call-shortage-text.ts';
import { callShortages } from '../../../shared/planning/call-shortage.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { MONDAY, ruleNamed } from '../../fixtures/builders.ts';

/** Orders of each of `count` cities: no two rules share a call. */
const cities = (count: number, keys: Record<string, unknown> = {}) =>
  Array.from({ length: count }, (_, i) =>
    ruleNamed(`orders-${i}`, {
      app: 'bakery',
      every: 'day at 06:30',
      restate_for: '0 minutes',
      filters: [{ attribute: 'device_city', operator: 'equal', value: `City ${i}` }],
      ...keys,
    }),
  );
const shortages = (rules: Parameters<typeof callShortages>[0], perHour: number, now = MONDAY) =>
  callShortages(rules, { now, perHour });

test('the busiest hour of the next day is known a day ahead, with the rules that need the most', () => {
  const byCountry = ruleNamed('returns', {
    app: 'bakery',
    every: 'day at 06:10',
    restate_for: '1 day',
    group_by: 'device_country',
  });
  const [shortage, ...others] = shortages([...cities(40), byCountry], 40, MONDAY + 7 * HOUR_MS);
  expect(others).toEqual([]);
  expect(shortage).toMatchObject({ app: 'bakery', per: 'hour', needed: 42, allowed: 40 });
  expect(shortage && callShortageText(shortage)).toBe(
    'the rules of bakery need about 42 calls within one hour, and 40 are allowed, so the least severe ones are evaluated late; run some at another time or less often, or use the same filters so that rules share calls. Most calls: returns every day at 06:10 (2), orders-0 every day at 06:30 (1), orders-1 every day at 06:30 (1)',
  );
});

test.each([
  ['weekday at 09:00', 'day', 300],
  ['monday at 07:00', 'week', 300],
  ['day at 07:00', 'day', 300],
  ['15 minutes', 'hour', 300],
])('rules of a run "%s" count in full on the day before it', (every, window, count) => {
  const sunday = MONDAY - 12 * HOUR_MS;
  const due = cities(count, { every, window });
  expect(shortages(due, count + 10, sunday)).toEqual([]);
  expect(shortages(due, count - 20, sunday)).toMatchObject([{ needed: expect.any(Number) }]);
});

test('rules that exceed all hours of a day are never all evaluated', () => {
  const hourly = cities(40, { every: 'hour at :10', window: 'hour' });
  expect(shortages(hourly, 39)).toMatchObject([{ per: 'day', needed: 984, allowed: 936 }]);
});
