import { describe, expect, test } from 'vitest';
import { routeNotes } from '../../cli/route-notes.ts';
import { stopsOf, tellingOf } from '../../cli/telling.ts';
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
      '  a message for each app and segment',
      '  again after 4 hours, then 8, 16, then every day',
      '  not while nights is on',
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

test.each([
  [{ after: '1 hour' }, 'again after 1 hour, then 2, 4 and so on, up to every day'],
  [{ after: '5 minutes' }, 'again after 5 minutes, then 10, 20 and so on, up to every day'],
  [{ after: '1 hour', at_most: 4 }, 'again after 1 hour, then 2, 4 and so on, 4 times at most'],
  [{ after: '4 hours', at_most: 1 }, 'again after 4 hours, then no more'],
  [{ after: '4 hours', at_most: 3 }, 'again after 4 hours, then 8, 16, then no more'],
  [{ after: '4 hours', at_most: 9 }, 'again after 4 hours, then 8, 16, then every day, 9 times at most'],
  [{ after: '12 hours' }, 'again after 12 hours, then every day'],
  [{ after: '1 day' }, 'again every day'],
  [{ after: '3 days', at_most: 2 }, 'again every 3 days, 2 times at most'],
])('check says when %j repeats', (repeat, line) => {
  const repeating = routesSchema.parse({
    channels: ROUTES.channels,
    default: { channels: ['team'], repeat },
  });
  expect(tellingOf(ruleNamed('sales'), repeating)).toContain(`  ${line}`);
});

test('check says who hears when an app itself stops, and when nobody does', () => {
  const rules = [ruleNamed('sales'), ruleNamed('carts'), ruleNamed('visits', { app: 'site' })];
  const ofSite = routesSchema.parse({
    ...routes,
    routes: [
      { name: 'site', match: { app: 'site', severity: 'critical' }, channels: ['team'] },
      ...routes.routes,
    ],
  });
  expect(stopsOf(rules, ofSite)).toEqual([
    'when demo sends nothing: tells team (route grave)',
    '  note: nobody is told of it while nights is on',
    'when site sends nothing: tells team (route site)',
  ]);
});

describe('check notes', () => {
  const rules = [
    ruleNamed('sales', { owner: 'checkout-team' }),
    ruleNamed('visits', { owner: 'growth', group_by: 'device_country' }),
  ];
  const notesOn = (...given: Record<string, unknown>[]) => {
    const named = given.map((route, i) => ({ name: `r${i + 1}`, channels: ['team'], ...route }));
    return routeNotes(rules, routesSchema.parse({ ...ROUTES, routes: named }));
  };

  test.each<[string, Record<string, unknown>[], string[]]>([
    ['nothing where each is taken', [{ match: { owner: 'growth' } }, { match: { owner: '*' } }], []],
    [
      'an owner that is nobody',
      [{ match: { owner: 'chekcout-team' } }],
      ['owner "chekcout-team" is nobody\'s; did you mean "checkout-team"?'],
    ],
    [
      'a rule that there is not',
      [{ match: { rule: ['sails'] } }],
      ['there is no rule "sails"; did you mean "sales"?'],
    ],
    ['an app that there is not', [{ match: { app: 'shop-*' } }], ['no rule is of the app "shop-*"']],
    ['a severity that no rule has', [{ match: { severity: 'info' } }], ['no rule is of severity "info"']],
    [
      'what nothing is at once',
      [{ match: { owner: 'growth', rule: 'sales' } }],
      ['no rule is all that its "match" asks for'],
    ],
    ['an app alone', [{ match: { rule: 'app:demo' } }], []],
    ['segments that a rule may have', [{ match: { segment: ['Ger*', 'Sweden'] } }], []],
    [
      'segments of a rule without',
      [{ match: { rule: 'sales', segment: '*' } }],
      ['no rule is all that its "match" asks for'],
    ],
  ])('%s', (_name, given, why) => {
    expect(notesOn(...given)).toEqual(why.map((each) => `route r1 is taken by no rule (${each})`));
  });

  test.each<[string, Record<string, unknown>[], string]>([
    ['that takes everything', [{ match: {} }, { match: { owner: 'growth' } }], 'r1 before it takes'],
    [
      'that take it together',
      [{ match: { owner: 'growth' } }, { match: { rule: 'sales' } }, { match: { severity: 'warning' } }],
      'r1 and r2 before it take',
    ],
    [
      'with more segments',
      [{ match: { segment: 'G*' } }, { match: { segment: 'Ger*' } }],
      'r1 before it takes',
    ],
  ])('a route behind one %s', (_name, given, before) => {
    expect(notesOn(...given)).toEqual([
      `route r${given.length} is taken by no rule (${before} all that it matches)`,
    ]);
  });

  test('a channel that hears nothing', () => {
    const channels = { ...ROUTES.channels, pager: { pagerduty: { routing_key_secret: 'key' } } };
    expect(routeNotes(rules, { ...ROUTES, channels })).toEqual(['channel pager hears nothing']);
    const idle = [{ name: 'idle', match: { owner: 'nobody' }, channels: ['pager'] }];
    expect(routeNotes(rules, routesSchema.parse({ ...ROUTES, channels, routes: idle }))).toContain(
      'channel pager hears nothing',
    );
  });
});
