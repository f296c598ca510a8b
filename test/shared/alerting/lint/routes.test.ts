import { describe, expect, test } from 'vitest';
import { routeFindings } from '../../../../shared/alerting/lint/routes.ts';
import { type Routes, routesSchema } from '../../../../shared/alerting/notifications/routes.ts';
import { ROUTES, ruleNamed } from '../../../fixtures/builders.ts';

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
    expect(messagesOf({ ...ROUTES, channels })).toEqual([
      expect.stringMatching(/^channel pager hears nothing/),
    ]);
    const idle = [{ name: 'idle', match: { owner: 'nobody' }, channels: ['pager'] }];
    expect(messagesOf(routesSchema.parse({ ...ROUTES, channels, routes: idle }))).toContainEqual(
      expect.stringMatching(/^channel pager hears nothing/),
    );
  });
});
