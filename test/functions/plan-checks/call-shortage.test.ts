import { expect, test } from 'vitest';
import { planChecks } from '../../../functions/plan-checks/plan-checks.ts';
import { inMemoryStores } from '../../../shared/store/in-memory/stores.ts';
import { cadenceName } from '../../../shared/time/cadence.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { MONDAY, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';

/** Hourly and daily rules of a bakery that share no call. */
const RULES = [
  ruleNamed('doors', { app: 'bakery', every: 'hour at :10', window: 'hour' }),
  ...Array.from({ length: 6 }, (_, i) =>
    ruleNamed(`orders-${i}`, {
      app: 'bakery',
      every: 'day at 06:30',
      filters: [{ attribute: 'device_city', operator: 'equal', value: `City ${i}` }],
    }),
  ),
];

/** What planning the run of `doors` at midnight counts and logs. */
async function planned(callsPerHour: number, hours = [0]) {
  const { rules, alerts, runs } = inMemoryStores();
  await rules.save(ruleSetOf(...RULES));
  const counted: [string, number][] = [];
  const warned: unknown[] = [];
  const deps: Parameters<typeof planChecks>[1] = {
    rules,
    alerts,
    runs,
    batches: { send: async () => {} },
    callsPerHour,
    logger: { info() {}, warn: (message, fields) => void warned.push({ message, ...fields }), error() {} },
    meter: { count: (what, by = 1) => void counted.push([what, by]), measure() {} },
  };
  const cadence = RULES[0] ? cadenceName(RULES[0].cadence) : '';
  for (const hour of hours)
    await planChecks({ cadence, scheduledAt: MONDAY + (hour + 1 / 6) * HOUR_MS }, deps);
  return { counted, warned };
}

test('a shortage at 06:30 is counted and logged hours before', async () => {
  const { counted, warned } = await planned(10);
  expect(counted).toEqual([['CallsMissing', 4]]);
  expect(warned).toEqual([
    {
      message: 'the rules need more calls than are allowed',
      app: 'bakery',
      reason: expect.stringContaining('about 14 calls within one hour, and 10 are allowed'),
    },
  ]);
});

test('a shortage is reported by the first run of each half day, because that needs all rules', async () => {
  expect((await planned(10, [0, 1, 11, 12, 13])).counted).toEqual([
    ['CallsMissing', 4],
    ['CallsMissing', 4],
  ]);
});

test('enough calls are not mentioned', async () => {
  expect(await planned(14)).toEqual({ counted: [], warned: [] });
});
