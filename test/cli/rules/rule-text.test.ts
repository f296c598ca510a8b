import { expect, test } from 'vitest';
import { notifiedBy, stopsOf } from '../../../cli/rules/rule-text.ts';
import { routesSchema } from '../../../shared/notifications/routes.ts';
import { ROUTES, ruleNamed } from '../../fixtures/builders.ts';

const routes = routesSchema.parse({
  channels: ROUTES.channels,
  calendars: { nights: { weekly: [{ days: ['sun'] }] } },
  default: ['team'],
  routes: [
    { name: 'german', match: { segment: 'Germany' }, channels: ['team'] },
    {
      name: 'urgent',
      match: { severity: 'critical' },
      channels: ['team'],
      group_by: ['app', 'segment'],
      repeat: { after: '4 hours' },
      mute: ['nights'],
    },
  ],
});

test.each([
  ['on the default route', {}, ['notifies team (route default)']],
  ['that is quiet', { quiet: true }, ['notifies team (route default) only if it cannot be evaluated']],
  [
    'whose route groups, repeats and mutes',
    { severity: 'critical' },
    [
      'notifies team (route urgent)',
      '  one message per app and segment',
      '  again after 4 hours, then 8, 16, then every day',
      '  muted during nights',
    ],
  ],
  [
    'with segments',
    { group_by: 'device_country' },
    ['notifies team (route default)', '  segments can match german'],
  ],
])('notifiedBy names the channels of a rule %s', (_name, rule, lines) => {
  expect(notifiedBy(ruleNamed('sales', rule), routes)).toEqual(lines);
});

test('notifiedBy lists the routes of other times, and those that also apply', () => {
  const byTime = routesSchema.parse({
    ...routes,
    routes: [
      { name: 'sundays', match: {}, channels: ['team'], active: 'nights' },
      { name: 'all', match: {}, channels: ['team'], continue: true, repeat: { after: '1 day' } },
      { name: 'ops', match: {}, channels: ['team'] },
    ],
  });
  expect(notifiedBy(ruleNamed('sales'), byTime)).toEqual([
    'notifies team during nights (route sundays)',
    'otherwise team (route all)',
    '  again every day',
    'also team (route ops)',
  ]);
});

test.each([
  [{ after: '1 hour' }, 'again after 1 hour, then 2, 4 and so on, up to every day'],
  [{ after: '5 minutes' }, 'again after 5 minutes, then 10, 20 and so on, up to every day'],
  [{ after: '1 hour', at_most: 4 }, 'again after 1 hour, then 2, 4 and so on, 4 times at most'],
  [{ after: '4 hours', at_most: 1 }, 'again after 4 hours, then stops'],
  [{ after: '4 hours', at_most: 3 }, 'again after 4 hours, then 8, 16, then stops'],
  [{ after: '4 hours', at_most: 9 }, 'again after 4 hours, then 8, 16, then every day, 9 times at most'],
  [{ after: '12 hours' }, 'again after 12 hours, then every day'],
  [{ after: '1 day' }, 'again every day'],
  [{ after: '3 days', at_most: 2 }, 'again every 3 days, 2 times at most'],
])('notifiedBy describes repeat %j', (repeat, line) => {
  const repeating = routesSchema.parse({
    channels: ROUTES.channels,
    default: { channels: ['team'], repeat },
  });
  expect(notifiedBy(ruleNamed('sales'), repeating)).toContain(`  ${line}`);
});

test('stopsOf names the channels notified if an app sends no data', () => {
  const rules = [ruleNamed('sales'), ruleNamed('carts'), ruleNamed('visits', { app: 'site' })];
  const ofSite = routesSchema.parse({
    ...routes,
    routes: [
      { name: 'site', match: { app: 'site', severity: 'critical' }, channels: ['team'] },
      ...routes.routes,
    ],
  });
  expect(stopsOf(rules, ofSite)).toEqual([
    'if demo sends no data: notifies team (route urgent)',
    'if site sends no data: notifies team (route site)',
  ]);
});

test('notifiedBy at a time names only the route that is active then', () => {
  const byTime = routesSchema.parse({
    ...routes,
    routes: [{ name: 'sundays', match: {}, channels: ['team'], active: 'nights' }],
  });
  const [monday, sunday] = [Date.parse('2026-03-02T12:00Z'), Date.parse('2026-03-08T12:00Z')];
  expect(notifiedBy(ruleNamed('sales'), byTime, monday)).toEqual(['notifies team (route default)']);
  expect(notifiedBy(ruleNamed('sales'), byTime, sunday).join()).toContain('sundays');
  expect(notifiedBy(ruleNamed('sales'), byTime, sunday).join()).not.toContain('default');
});
