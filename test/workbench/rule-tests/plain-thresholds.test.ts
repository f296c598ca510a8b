import { describe, expect, test } from 'vitest';
import { buildFigureRule, ruleSetEntrySchema } from '../../../shared/rules/rule.ts';
import { failing, ruleSetOf } from './example-rules.ts';

const EVENT = 'filters: [{ attribute: event_name, operator: equal, value: order }]';

/** A figure in a rule, and its series of six hours: two above 3 from the first on, one more later. */
const FIGURES: [name: string, rule: string, series: string][] = [
  ['a count', `metric: event_count\n    ${EVENT}`, '[{ event: order, values: 4*2 2*2 4 2 }]'],
  [
    'an average',
    `metric: { average: price }\n    ${EVENT}`,
    '[{ event: order, metric: { average: price }, values: 4*2 2*2 4 2, weight: 1 }]',
  ],
  [
    'a ratio',
    'ratio: { of: order, to: visit }',
    '[{ event: order, values: 4*2 2*2 4 2 }, { event: visit, values: 1*6 }]',
  ],
];

const ROUTES = 'channels: { team: { slack: { webhook_secret: none } } }\ndefault: [team]\n';

const rules = (figure: string, more = '') => `rules:
  - id: plain
    title: Plain
    app: shop
    owner: team
    every: hour at :10
    ${figure}
    fire: { current: { above: 3 } }
    ${more}
`;

const expected = (series: string, alerts: string) => `tests:
  - name: a
    starts: 2026-01-05
    series: ${series}
    alerts: ${alerts}
`;

describe.each(FIGURES)('a threshold on %s', (_, figure, series) => {
  test('fires on the first window, without a baseline or a test of its own', async () => {
    const alerts =
      '[{ fired: plain, window: 2026-01-05 00:00, current: 4 }, { recovered: plain, window: 2026-01-05 03:00 }, { fired: plain, window: 2026-01-05 04:00 }]';
    expect(await failing(expected(series, alerts), ruleSetOf(rules(figure), ROUTES))).toBe('');
  });

  test('waits for two windows in a row if the rule says so', async () => {
    const alerts =
      '[{ fired: plain, window: 2026-01-05 01:00 }, { recovered: plain, window: 2026-01-05 03:00 }]';
    expect(
      await failing(expected(series, alerts), ruleSetOf(rules(figure, 'fire_after: 2 of 2'), ROUTES)),
    ).toBe('');
  });
});

test('a lower bound holds from the first window of a test on, because nothing is known before it', async () => {
  const below = rules(`metric: event_count\n    ${EVENT}`).replace('above: 3', 'below: 3');
  const alerts = '[{ fired: plain, window: 2026-01-05 00:00 }, { recovered: plain }]';
  expect(
    await failing(expected('[{ event: order, values: 2*2 4*4 }]', alerts), ruleSetOf(below, ROUTES)),
  ).toBe('');
});

test('a threshold never becomes the normal level', async () => {
  const alerts = '[{ fired: plain, window: 2026-01-05 00:00 }]';
  const series = '[{ event: order, values: 4*400 }]';
  expect(
    await failing(expected(series, alerts), ruleSetOf(rules(`metric: event_count\n    ${EVENT}`), ROUTES)),
  ).toBe('');
});

test('segments of a threshold have no smallest baseline', () => {
  const entry = {
    ...{ id: 'plain', title: 'Plain', app: 'shop', owner: 'team', every: 'day at 07:00' },
    ...{ metric: 'event_count', group_by: 'device_country', fire: { current: { above: 3 } } },
  };
  expect(buildFigureRule(ruleSetEntrySchema.parse(entry))).toMatchObject({
    baseline: { to: 'none' },
    minimum: { baseline: 0 },
  });
});
