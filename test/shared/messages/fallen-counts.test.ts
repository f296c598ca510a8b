import { expect, test } from 'vitest';
import { watchedApps } from '../../../shared/alerts/app-alert.ts';
import { messageFor } from '../../../shared/messages/message.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { breached, ruleNamed, value } from '../../fixtures/builders.ts';
import { found, pendingFor } from '../../golden/situations.ts';

const [a, b, c, d, e] = [ruleNamed('a'), ruleNamed('b'), ruleNamed('c'), ruleNamed('d'), ruleNamed('e')];
const [f, quiet] = [ruleNamed('f'), ruleNamed('q', { quiet: true })];
const means = ['m', 'n'].map((id) => ruleNamed(id, { metric: 'session_seconds', filters: [] }));
const byCountry = ruleNamed('by-country', { group_by: 'device_country' });
const fell = breached(0, { change: -0.4, difference: -40, current: value(60) });

const titleOf = (fallen: Rule[], rules: Rule[], evaluation = fell) =>
  messageFor(
    fallen.map((rule) =>
      pendingFor(rule, 'fired', evaluation, { segment: rule.group_by === undefined ? null : 'Malta' }),
    ),
    watchedApps(rules),
  ).title;

test('most counts of an app that fall in one run are named as one, and each stays an item', () => {
  const rules = [a, b, c, d, e, quiet, byCountry, ...means];
  expect(titleOf([a, b, c], rules)).toBe(
    'Tracking or the data source of demo may be down: 3 of 5 counts fell together',
  );
});

test.each<[string, Rule[], Rule[]]>([
  ['there are only two', [a, b], [a, b]],
  ['the others are as many', [a, b, c], [a, b, c, d, e, f]],
  ['some are means', [a, b, ...means], [a, b, ...means]],
  ['some are segments', [a, b, byCountry], [a, b, byCountry]],
])('not if %s', (_, fallen, rules) => {
  expect(titleOf(fallen, rules)).not.toContain('Tracking');
});

test('not if they rose', () => {
  const rose = found(a, { current: 160, baseline: 100 });
  expect(titleOf([a, b, c], [a, b, c], rose)).not.toContain('Tracking');
});
