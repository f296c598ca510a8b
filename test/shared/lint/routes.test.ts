import { describe, expect, test } from 'vitest';
import { routeFindings } from '../../../shared/lint/routes.ts';
import { type Routes, routesSchema } from '../../../shared/notifications/routes.ts';
import { ROUTES, ruleNamed } from '../../fixtures/builders.ts';

describe('lint finds', () => {
  const rules = [
    ruleNamed('sales', { owner: 'checkout-team' }),
    ruleNamed('visits', { owner: 'growth', group_by: 'device_country' }),
  ];
  const messagesOf = (routes: Routes) => routeFindings(rules, routes).map(({ message }) => message);
  const notesOn = (...given: Record<string, unknown>[]) => {
    const named = given.map((route, i) => ({ name: `r${i + 1}`, channels: ['team'], ...route }));
    return messagesOf(routesSchema.parse({ ...ROUTES, routes: named }));
  };

  const behind = 'its "match" matches none, or routes before it match all of it';
  test.each<[string, Record<string, unknown>[], string[]]>([
    ['nothing if every route is used', [{ match: { owner: 'growth' } }, { match: { owner: '*' } }], []],
    [
      'an owner that no rule has',
      [{ match: { owner: 'chekcout-team' } }],
      ['r1: no rule has the owner "chekcout-team"; did you mean "checkout-team"?'],
    ],
    [
      'a rule that does not exist',
      [{ match: { rule: ['sails'] } }],
      ['r1: no rule has the id "sails"; did you mean "sales"?'],
    ],
    ['an app that no rule has', [{ match: { app: 'shop-*' } }], [`r1: ${behind}`]],
    ['values that no rule has together', [{ match: { owner: 'growth', rule: 'sales' } }], [`r1: ${behind}`]],
    ['nothing about a route for an app alert', [{ match: { rule: 'app:demo' } }], []],
    ['nothing about segments that a rule can have', [{ match: { segment: ['Ger*', 'Sweden'] } }], []],
    ['segments for a rule without segments', [{ match: { rule: 'sales', segment: '*' } }], [`r1: ${behind}`]],
    [
      'a route behind one that matches everything',
      [{ match: {} }, { match: { owner: 'growth' } }],
      [`r2: ${behind}`],
    ],
    [
      'a route behind two that match all of it together',
      [{ match: { owner: 'growth' } }, { match: { rule: 'sales' } }, { match: { severity: 'warning' } }],
      [`r3: ${behind}`],
    ],
    [
      'a route behind one that matches more segments',
      [{ match: { segment: 'G*' } }, { match: { segment: 'Ger*' } }],
      [`r2: ${behind}`],
    ],
  ])('%s', (_name, given, found) => {
    expect(notesOn(...given)).toEqual(found.map((each) => `no rule uses the route ${each}`));
  });

  test('a channel without an active route', () => {
    const channels = { ...ROUTES.channels, pager: { pagerduty: { routing_key_secret: 'key' } } };
    expect(messagesOf({ ...ROUTES, channels })).toEqual([
      expect.stringMatching(/^no active route uses the channel pager;/),
    ]);
    const idle = [{ name: 'idle', match: { owner: 'nobody' }, channels: ['pager'] }];
    expect(messagesOf(routesSchema.parse({ ...ROUTES, channels, routes: idle }))).toContainEqual(
      expect.stringMatching(/^no active route uses the channel pager;/),
    );
  });
});
