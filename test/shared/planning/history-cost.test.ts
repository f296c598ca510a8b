import { expect, test } from 'vitest';
import { callsPerDay, historyCosts, runsWithinAWeek } from '../../../shared/planning/history-cost.ts';
import { MONDAY, ruleNamed } from '../../fixtures/builders.ts';

const seasonal = { anomaly: true, compare: { to: 'seasonal' } };

test.each([
  { name: 'ten weeks of hours', rule: { every: 'hour', ...seasonal }, calls: 4, oneByOne: 1681, perDay: 48 },
  {
    name: 'several runs per window',
    rule: { every: '10 minutes', window: 'hour' },
    calls: 1,
    oneByOne: 73,
    perDay: 48,
  },
  { name: '57 weeks of days', rule: seasonal, calls: 15, oneByOne: 400, perDay: 2 },
  { name: 'users, not compared', rule: { metric: 'users', filters: [] }, calls: 3, oneByOne: 114, perDay: 4 },
  { name: 'segments', rule: { group_by: 'device_country' }, calls: 12, oneByOne: 114, perDay: 4 },
  { name: 'weeks', rule: { every: 'monday at 07:00' }, calls: 9, oneByOne: 27, perDay: 2 / 7 },
])('$name', ({ rule, calls, oneByOne, perDay }) => {
  const [cost] = historyCosts([ruleNamed('a', rule)], MONDAY, 500);
  expect(cost).toMatchObject({ calls, callsOneByOne: oneByOne, hoursOneByOne: oneByOne / 250 });
  expect(cost?.callsPerDay).toBeCloseTo(perDay);
});

test('a monthly rule costs its calls once in 31 days', () => {
  const [cost] = historyCosts([ruleNamed('a', { every: 'month at 07:00', window: 'day' })], MONDAY, 500);
  expect(cost?.callsPerDay).toBeCloseTo(2 / 31);
});

test('a family reads windows again if one of its rules does', () => {
  const rules = [ruleNamed('a'), ruleNamed('b', { restate_for: '0 minutes' })];
  expect(historyCosts(rules, MONDAY, 500).map(({ callsPerRun }) => callsPerRun)).toEqual([2]);
});

test('rules of one family share their calls', () => {
  const onEvent = (value: string) =>
    ruleNamed(value, { filters: [{ attribute: 'event_name', operator: 'equal', value }] });
  const costs = historyCosts([onEvent('a'), onEvent('b'), ruleNamed('c', { filters: [] })], MONDAY, 500);
  expect(costs.map(({ rules }) => rules.map(({ id }) => id))).toEqual([['a', 'b'], ['c']]);
  expect(costs.map(({ calls }) => calls)).toEqual([3, 3]);
});

test('each run asks for the newest data of an app once per cadence', () => {
  const perDay = (...rules: object[]) =>
    callsPerDay(
      historyCosts(
        rules.map((rule, i) => ruleNamed(`rule-${i}`, { restate_for: '0 minutes', ...rule })),
        MONDAY,
        500,
      ),
      runsWithinAWeek(MONDAY),
    );
  const hourly = { every: 'hour', metric: 'sessions', filters: [] };
  expect(perDay(hourly)).toBeCloseTo(24 + 24);
  expect(perDay(hourly, { ...hourly, metric: 'event_count' })).toBeCloseTo(2 * 24 + 24);
  expect(perDay(hourly, { ...hourly, metric: 'event_count', app: 'web' })).toBeCloseTo(2 * (24 + 24));
  expect(perDay({ ...hourly, every: '10 minutes', window: 'day' })).toBeCloseTo(1 + 1);
});
