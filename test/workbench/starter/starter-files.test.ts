import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildRuleSet, formatProblems } from '../../../shared/rule-files/yaml-rule-files.ts';
import { parseYaml } from '../../../shared/rule-files/yaml-source.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { failuresOf } from '../../../workbench/rule-tests/evaluate-test.ts';
import { testsIn } from '../../../workbench/rule-tests/read-tests.ts';
import { runTest } from '../../../workbench/rule-tests/run-test.ts';
import { starterFiles } from '../../../workbench/starter/starter-files.ts';

const SHOP = { app: 'shop', zone: 'Europe/Berlin', events: [{ name: 'order' }] };

/** The rules of the starter files. Throws the problems that `check` finds. */
function rulesOf(about: Parameters<typeof starterFiles>[0]): Rule[] {
  const texts = [...starterFiles(about)].filter(([name]) => !name.endsWith('.test.yaml'));
  const loaded = buildRuleSet('rules', new Map(texts));
  if (loaded.kind === 'problems') throw new Error(formatProblems(loaded.problems));
  return loaded.ruleSet.rules;
}

test('watches sessions, new users and each event of one app', () => {
  const rules = rulesOf({ ...SHOP, events: [{ name: 'order' }, { name: 'page_view', perDay: 1240.4 }] });
  expect(rules.map(({ id, title }) => [id, title])).toEqual([
    ['shop-new-users', 'New users'],
    ['shop-order', 'Order'],
    ['shop-page-view', 'Page view'],
    ['shop-sessions', 'Sessions'],
  ]);
  expect(rules.map(({ app, zone, owner }) => [app, zone, owner])).toEqual(
    Array(4).fill(['shop', 'Europe/Berlin', 'shop-team']),
  );
  expect(rules.find(({ id }) => id === 'shop-page-view')?.filters).toEqual([
    { attribute: 'event_name', operator: 'equal', value: 'page_view' },
  ]);
});

test.each([
  [undefined, 50],
  [1240.4, 50],
  [36, 18],
  [3, 10],
])('an event of %s a day needs a baseline of %i', (perDay, minimum) => {
  const events = [{ name: 'order', ...(perDay !== undefined && { perDay }) }];
  expect(rulesOf({ ...SHOP, events }).find(({ id }) => id === 'shop-order')?.minimum.baseline).toBe(minimum);
});

test('files of another app have their own names and ids', () => {
  const [shop, chat] = [SHOP, { ...SHOP, app: 'Chat_2' }].map(starterFiles);
  const texts = new Map([...(shop ?? []), ...(chat ?? [])].filter(([name]) => !name.includes('.test.')));
  expect([...texts.keys()].sort()).toEqual(['chat-2.yaml', 'routes.yaml', 'shop.yaml']);
  expect(buildRuleSet('rules', texts)).toMatchObject({ kind: 'loaded' });
});

test.each(['routes', 'Incidents'])('files of an app called %s are read as rules', (app) => {
  expect(rulesOf({ ...SHOP, app })).toHaveLength(3);
  expect(starterFiles({ ...SHOP, app }).size).toBe(3);
});

/** Rules that match the values of any starter test, and fire at once. */
const MORE_RULES = `
defaults: { title: More, app: shop, owner: shop-team, fire: { current: { above: 1 } }, confidence: 0.5 }
rules:
  - { id: a-new-rule, every: hour, metric: event_count }
  - { id: sessions-by-the-hour, every: hour, metric: sessions }
  - { id: new-users-elsewhere, every: day at 07:00, metric: new_users, zone: Asia/Tokyo }
`;

test('the starter tests of two apps pass beside other rules', async () => {
  const files = [SHOP, { ...SHOP, app: 'Chat_2' }].map(starterFiles);
  const texts = new Map([...files.flatMap((each) => [...each]), ['more.yaml', MORE_RULES]]);
  const loaded = buildRuleSet('rules', new Map([...texts].filter(([name]) => !name.includes('.test.'))));
  const ruleSet = loaded.kind === 'loaded' ? loaded.ruleSet : undefined;
  for (const name of ['shop.test.yaml', 'chat-2.test.yaml']) {
    const source = parseYaml('rules', name, texts.get(name) ?? '');
    const read = ruleSet && testsIn(source, name, ruleSet);
    const tests =
      read?.kind === 'tests' ? read.tests.flatMap((each) => (each.kind === 'bound' ? each.test : [])) : [];
    expect(tests).toHaveLength(4);
    for (const each of tests) expect(failuresOf(each, await runTest(each))).toEqual([]);
  }
});

test('files are valid for any names of the app and its events', () => {
  const app = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/).filter((id) => /^[a-zA-Z0-9]/.test(id));
  const name = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
    fc.constantFrom(
      '*',
      '- a',
      'a: b',
      'null',
      '1e3',
      'true',
      "'",
      '"',
      ' ',
      '# a',
      '{',
      '%',
      '🛒',
      'a\nb',
      'sessions',
    ),
  );
  fc.assert(
    fc.property(app, fc.uniqueArray(name, { maxLength: 4 }), (app, names) => {
      const events = names.map((each) => ({ name: each }));
      const rules = rulesOf({ ...SHOP, app, events });
      expect(rules).toHaveLength(2 + names.length);
      expect(rules.flatMap(({ filters }) => filters.map(({ value }) => value)).sort()).toEqual(
        names.toSorted(),
      );
    }),
    { numRuns: 40 },
  );
});
