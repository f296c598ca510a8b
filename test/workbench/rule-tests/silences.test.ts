import { expect, test } from 'vitest';
import { failing, ruleSetOf } from './example-rules.ts';

const RULES = ruleSetOf(
  `rules:
  - id: orders
    title: Orders
    app: shop
    owner: team
    every: day at 07:00
    grace: 12 hours
    metric: event_count
    filters: [{ attribute: event_name, operator: equal, value: order }]
    fire: { change: { below: -40% } }
`,
  'channels: { team: { slack: { webhook_secret: none } } }\ndefault: [team]\n',
);

const outcome = (values: string, alerts: string) =>
  failing(
    `tests:\n  - name: a\n    starts: 2026-01-05\n    series: [{ event: order, values: ${values} }]\n    alerts: ${alerts}\n`,
    RULES,
  );

test('days without any data send one message that data stopped and one that it is back, and no late alerts', async () => {
  expect(await outcome('1000*35 stale*3 1000*6', '[{ stopped: shop }, { resumed: shop }]')).toBe('');
});

test('days without data are no baseline: a week later a fall is still one', async () => {
  const alerts =
    '[{ stopped: shop }, { resumed: shop }, { fired: orders, window: 2026-02-18, current: 400 }]';
  expect(await outcome('1000*36 stale*2 1000*6 400', alerts)).toBe('');
});

test('an alert that was open before ends when the figure is back', async () => {
  const alerts =
    '[{ fired: orders, window: 2026-02-09 }, { stopped: shop }, { resumed: shop }, { recovered: orders }]';
  expect(await outcome('1000*35 400*2 stale*3 1000*6', alerts)).toBe('');
});
