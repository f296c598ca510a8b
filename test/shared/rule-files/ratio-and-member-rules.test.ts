import { describe, expect, it } from 'vitest';
import { packedRuleSetSchema } from '../../../shared/deployments/rule-store.ts';
import { meaningOf } from '../../../shared/readings/series.ts';
import { buildRuleSet } from '../../../shared/rule-files/yaml-rule-files.ts';
import { entryOf, storedRuleSchema } from '../../../shared/rules/rule.ts';
import { ROUTES } from '../../fixtures/builders.ts';

const DEFAULTS = 'defaults: { app: demo, owner: team, every: day at 01:00, title: T }\nrules:\n';
const FIRE = 'fire: { change: { below: -20% } }';
const SALES = `  - { id: sales, metric: sessions, ${FIRE} }\n`;
const VIEWS = `  - { id: views, metric: users, ${FIRE}, group_by: device_country }\n`;

function loaded(...rules: string[]) {
  const text = DEFAULTS + rules.join('');
  const files = new Map([
    ['a.yaml', text],
    ['routes.yaml', JSON.stringify(ROUTES)],
  ]);
  return buildRuleSet('rules', files);
}

const problemsOf = (...rules: string[]) => {
  const result = loaded(...rules);
  if (result.kind === 'loaded') return [];
  return result.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
};

describe('a valid rule file accepts', () => {
  it.each([
    ['a ratio', `ratio: { of: a, to: b }, ${FIRE}`],
    [
      'a ratio of users, by country',
      `metric: event_users, ratio: { of: a, to: b }, group_by: device_country, ${FIRE}`,
    ],
    [
      'a ratio of any counts',
      `ratio: { of: a, to: { metric: sessions, filters: [{ attribute: device_platform, operator: equal, value: ios }] } }, group_by: device_country, ${FIRE}`,
    ],
    ['a number of a property', `metric: { average: price }, unit: EUR, ${FIRE}`],
    [
      'a formula',
      `formula: "a / (a + b)", figures: { a: { metric: sessions }, b: { metric: { sum: price } } }, ${FIRE}`,
    ],
    ['segments of two attributes', `metric: sessions, group_by: [device_platform, app_version], ${FIRE}`],
    [
      'segments of a property',
      `metric: event_count, group_by: { attribute: event_custom_property, property_name: plan }, ${FIRE}`,
    ],
    ['a funnel', `funnel: [a, b, c], ${FIRE}`],
    ['a funnel of users', `funnel: [a, b, c], within: 2 days, ${FIRE}`],
    [
      'users from one event to another, by country',
      `ratio: { of: a, to: b }, within: 1 hour, group_by: device_country, ${FIRE}`,
    ],
    [
      'versions against one another',
      `metric: rage_gestures_per_session, group_by: app_version, compare: { to: previous_version }, ${FIRE}`,
    ],
    [
      'countries against one another',
      `metric: rage_gestures_per_session, group_by: device_country, compare: { to: other_segments }, ${FIRE}`,
    ],
    ['all of several rules', 'all_of: [sales, views]'],
    ['any of several rules, quiet', 'any_of: [sales, views], quiet: true'],
  ])('%s, and restores it from storage unchanged', (_name, keys) => {
    const result = loaded(SALES, VIEWS, `  - { id: x, ${keys} }\n`);
    if (result.kind !== 'loaded') throw new Error(result.problems.join());
    const stored = JSON.parse(JSON.stringify(result.ruleSet));
    expect(packedRuleSetSchema.parse(stored)).toEqual(result.ruleSet);
    const entries = packedRuleSetSchema.parse(stored).rules.map(entryOf);
    expect(entries.map((entry) => storedRuleSchema.parse(entry))).toEqual(result.ruleSet.rules);
  });

  it('rules by segment over rules by the same segments', () => {
    const other = VIEWS.replace('views', 'clicks');
    expect(
      problemsOf(VIEWS, other, '  - { id: x, all_of: [views, clicks], group_by: device_country }\n'),
    ).toEqual([]);
  });
});

it('an invalid member, with one problem', () => {
  const wrong = '  - { id: sales, metric: sesions, fire: { change: { below: -20% } } }\n';
  expect(problemsOf(wrong, VIEWS, '  - { id: x, all_of: [sales, views] }\n')).toHaveLength(1);
});

it('a group of filters, which only requests have', () => {
  const filters = 'filters: [{ any: [{ attribute: device_platform, operator: equal, value: ios }] }]';
  expect(problemsOf(SALES, `  - { id: x, metric: sessions, ${filters}, ${FIRE} }\n`)).toEqual([
    expect.stringMatching(/^\d+:\d+ any is no filter here; only the filters of a request have it$/),
  ]);
});

describe('meaningOf', () => {
  const ANOMALY = 'metric: users, anomaly: true';
  const meaning = (keys: string) => {
    const result = loaded(SALES, VIEWS, `  - { id: x, ${keys} }\n`);
    const rule = result.kind === 'loaded' && result.ruleSet.rules.find(({ id }) => id === 'x');
    return rule && meaningOf(rule);
  };

  it.each([
    ['a ratio the other way round', `ratio: { of: a, to: b }, ${FIRE}`, `ratio: { of: b, to: a }, ${FIRE}`],
    [
      'another figure',
      `ratio: { of: a, to: b }, ${FIRE}`,
      `metric: event_users, ratio: { of: a, to: b }, ${FIRE}`,
    ],
    ['users', `funnel: [a, b], ${FIRE}`, `funnel: [a, b], within: 1 day, ${FIRE}`],
    ['more time', `funnel: [a, b], within: 2 days, ${FIRE}`, `funnel: [a, b], within: 1 day, ${FIRE}`],
    ['a funnel of the same events', `ratio: { of: b, to: a }, ${FIRE}`, `funnel: [a, b], ${FIRE}`],
    ['any instead of all', 'all_of: [sales, views]', 'any_of: [sales, views]'],
    ['a higher sensitivity', ANOMALY, `${ANOMALY}, sensitivity: high`],
    ['another fire_after', 'all_of: [sales, views]', 'all_of: [sales, views], fire_after: 2 of 2'],
  ])('differs for %s', (_name, a, b) => expect(meaning(a)).not.toBe(meaning(b)));

  it('does not change with a written default', () => {
    expect(meaning(`${ANOMALY}, sensitivity: normal`)).toBe(meaning(ANOMALY));
    expect(meaning(ANOMALY)).toContain('.');
  });

  it('does not change with quiet or severity', () => {
    expect(meaning('all_of: [sales, views], quiet: true, severity: critical')).toBe(
      meaning('all_of: [sales, views]'),
    );
  });
});
