import { expect, test } from 'vitest';
import { alertTable } from '../../../cli/operate/alerts.ts';

test('the table of alerts shows a ratio as a percentage', () => {
  const about = { app: 'demo', owner: 'shop', severity: 'critical', taken: null, quiet: null } as const;
  const alert = {
    rule: 'checkout',
    segment: null,
    title: 'Checkout',
    state: 'firing',
    since: '2026-03-01T00:00:00Z',
  } as const;
  const figures = { current: 0.15, baseline: 0.2, changePct: -25 };
  expect(alertTable([{ ...about, ...alert, ...figures, isShare: true }])).toContain('20% to 15% -25%');
  expect(alertTable([{ ...about, ...alert, ...figures, isShare: false }])).toContain('0.2 to 0.15 -25%');
});
