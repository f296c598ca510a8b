import { expect, test } from 'vitest';
import { callsPerDay, runningCosts, runsWithinAWeek } from '../../../shared/planning/call-cost.ts';
import type { FigureRule } from '../../../shared/rules/rule.ts';
import { MONDAY, ruleNamed } from '../../fixtures/builders.ts';

const costsOf = (...rules: FigureRule[]) => runningCosts(rules, runsWithinAWeek(MONDAY));

test.each([
  { name: 'hours', rule: { every: 'hour' }, perDay: 48 },
  { name: 'several runs per window', rule: { every: '10 minutes', window: 'hour' }, perDay: 48 },
  { name: 'days', rule: {}, perDay: 2 },
  { name: 'users, not compared', rule: { metric: 'users', filters: [] }, perDay: 4 },
  { name: 'segments', rule: { group_by: 'device_country' }, perDay: 2 },
  { name: 'weeks', rule: { every: 'monday at 07:00' }, perDay: 2 / 7 },
])('$name', ({ rule, perDay }) => {
  const [cost] = costsOf(ruleNamed('a', rule));
  expect(cost?.callsPerDay).toBeCloseTo(perDay);
});

test('a family reads windows again if one of its rules does', () => {
  const costs = costsOf(ruleNamed('a'), ruleNamed('b', { restate_for: '0 minutes' }));
  expect(costs.map(({ callsPerRun }) => callsPerRun)).toEqual([2]);
});

test('rules of one family share their calls', () => {
  const onEvent = (value: string) =>
    ruleNamed(value, { filters: [{ attribute: 'event_name', operator: 'equal', value }] });
  const costs = costsOf(onEvent('a'), onEvent('b'), ruleNamed('c', { filters: [] }));
  expect(costs.map(({ rules }) => rules.map(({ id }) => id))).toEqual([['a', 'b'], ['c']]);
});

test('each run asks for the newest data of an app once per cadence', () => {
  const perDay = (...rules: object[]) =>
    callsPerDay(
      costsOf(...rules.map((rule, i) => ruleNamed(`rule-${i}`, { restate_for: '0 minutes', ...rule }))),
      runsWithinAWeek(MONDAY),
    );
  const hourly = { every: 'hour', metric: 'sessions', filters: [] };
  expect(perDay(hourly)).toBeCloseTo(24 + 24);
  expect(perDay(hourly, { ...hourly, metric: 'event_count' })).toBeCloseTo(2 * 24 + 24);
  expect(perDay(hourly, { ...hourly, metric: 'event_count', app: 'web' })).toBeCloseTo(2 * (24 + 24));
  expect(perDay({ ...hourly, every: '10 minutes', window: 'day' })).toBeCloseTo(1 + 1);
});
