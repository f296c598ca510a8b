import { expect, test } from 'vitest';
import { renderedText, renderRuns } from '../../../cli/rules/rendered-runs.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

const THURSDAY = Date.parse('2026-10-22T12:00:00Z');
const zone = 'Europe/Berlin';

const rendered = (overrides: Record<string, unknown>, count: number, after = THURSDAY) => {
  const rule = ruleNamed('sales', { zone, ...overrides });
  return renderedText(rule, renderRuns(rule, after, count))
    .split('\n')
    .slice(2);
};

test('renders each run with its windows and baselines, and marks clock changes', () => {
  const daily = { every: 'weekday at 07:00', compare: { to: 'same_weekday' } };
  expect(rendered(daily, 2)).toEqual([
    '  run                   evaluates    against',
    '  Fri 2026-10-23 07:00  2026-10-22   2026-10-15',
    '  Mon 2026-10-26 07:00  2026-10-23   2026-10-16',
    '                        2026-10-24   2026-10-17',
    '                        2026-10-25*  2026-10-18',
    '  * the clocks go back on 2026-10-25, which has 25 hours',
  ]);
});

test('renders as many baseline weeks as fit, and marks a clock change in them', () => {
  const median = { every: 'day at 07:00', compare: { median_of: '5 weeks' } };
  expect(rendered(median, 1, Date.parse('2026-11-01T12:00:00Z'))).toEqual([
    '  run                   evaluates   against',
    '  Mon 2026-11-02 07:00  2026-11-01  2026-10-25*, 10-18, 10-11, 10-04, +1',
    '  * the clocks go back on 2026-10-25, which has 25 hours',
  ]);
});

test.each([
  [
    'only the first and last of many hours',
    { every: 'weekday at 09:00', window: 'hour' },
    'and 22 more up to',
  ],
  ['a run without a new window', { every: '30 minutes', window: 'day' }, 'no new window'],
])('renders %s', (_name, overrides, words) => {
  expect(rendered(overrides, 1).join('\n')).toContain(words);
});

test('a seasonal rule has no baseline windows', () => {
  const rule = ruleNamed('sales', {
    zone,
    every: 'day at 07:00',
    compare: { to: 'seasonal' },
    anomaly: true,
  });
  expect(renderRuns(rule, THURSDAY, 1).flatMap(({ windows }) => windows.map((each) => each.against))).toEqual(
    [[]],
  );
});
