import { expect, test } from 'vitest';
import { tellingOf } from '../../cli/check.ts';
import { routesSchema } from '../../shared/alerting/routes.ts';
import { ROUTES, ruleNamed } from '../fixtures/builders.ts';

const routes = routesSchema.parse({
  channels: ROUTES.channels,
  calendars: { nights: { weekly: [{ days: ['sun'] }] } },
  default: ['team'],
  routes: [
    { name: 'german', match: { segment: 'Germany' }, channels: ['team'] },
    {
      name: 'grave',
      match: { severity: 'critical' },
      channels: ['team'],
      group_by: ['app', 'segment'],
      repeat: { after: '4 hours' },
      mute: ['nights'],
    },
  ],
});

test.each([
  ['by the default', {}, ['tells team (route default)']],
  ['that keeps what it finds', { quiet: true }, ['tells team (route default) only when it cannot be judged']],
  [
    'whose route groups, repeats and is mute at times',
    { severity: 'critical' },
    [
      'tells team (route grave)',
      '  a message for each app and segment; again after 4 hours; not while nights is on',
    ],
  ],
  [
    'with segments',
    { group_by: 'device_country' },
    ['tells team (route default)', '  segments may take german'],
  ],
])('check says who hears of a rule %s', (_name, rule, lines) => {
  expect(tellingOf(ruleNamed('sales', rule), routes)).toEqual(lines);
});
