import { expect, test } from 'vitest';
import { alertTable, openAlerts } from '../../../cli/operate/alerts.ts';
import { openAlert } from '../../../shared/alerts/open-alert.ts';
import { inMemoryStores } from '../../../shared/store/in-memory/stores.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { alertOf, dayAt, evaluationOf, MONDAY, ruleNamed, value } from '../../fixtures/builders.ts';

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

test('the baseline of a day of 25 hours is scaled to them, as its change is', async () => {
  const rule = ruleNamed('sales');
  const window = { ...dayAt(1), endAt: dayAt(1).endAt + HOUR_MS };
  const last = evaluationOf(1, { current: { ...value(500), window }, baseline: value(960), change: -0.5 });
  const alert = alertOf(rule, { state: 'firing', last });
  const { alerts } = inMemoryStores();
  await alerts.save(alert);
  const none = { ruleSet: undefined, rules: [rule], silences: [], unread: [] };
  const status = { ...none, byId: new Map([[rule.id, rule]]), open: [openAlert(alert)] };
  expect(await openAlerts(status, alerts, MONDAY)).toMatchObject([
    { current: 500, baseline: expect.closeTo(1000), changePct: -50 },
  ]);
});
