import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatProblems } from '../../../shared/rule-files/file-problems.ts';
import { buildRuleSet } from '../../../shared/rule-files/yaml-rule-files.ts';
import { parseYaml } from '../../../shared/rule-files/yaml-source.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { failuresOf } from '../../../workbench/rule-tests/evaluate-test.ts';
import { testsIn } from '../../../workbench/rule-tests/read-tests.ts';
import { runTest } from '../../../workbench/rule-tests/run-test.ts';
import { firstRules, ruleText, starterFiles } from '../../../workbench/starter/starter-files.ts';

/** The first files of an app without data. */
function filesOf(app: string): Map<string, string> {
  return starterFiles(app, firstRules(app, 'Europe/Berlin'));
}

/** The rules of the starter files. Throws the problems that `check` finds. */
function rulesOf(app: string): Rule[] {
  const texts = [...filesOf(app)].filter(([name]) => !name.endsWith('.test.yaml'));
  const loaded = buildRuleSet('rules', new Map(texts));
  if (loaded.kind === 'problems') throw new Error(formatProblems(loaded.problems));
  return loaded.ruleSet.rules;
}

test('watches the sessions of an app without data', () => {
  expect(rulesOf('shop')).toMatchObject([
    { id: 'shop-sessions', title: 'Sessions', app: 'shop', zone: 'Europe/Berlin', owner: 'shop-team' },
  ]);
});

test('files of another app have their own names and ids', () => {
  const texts = new Map(
    [...filesOf('shop'), ...filesOf('Chat_2')].filter(([name]) => !name.includes('.test.')),
  );
  expect([...texts.keys()].sort()).toEqual(['chat-2.yaml', 'routes.yaml', 'shop.yaml']);
  expect(buildRuleSet('rules', texts)).toMatchObject({ kind: 'loaded' });
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
  const files = [filesOf('shop'), filesOf('Chat_2')];
  const texts = new Map([...files.flatMap((each) => [...each]), ['more.yaml', MORE_RULES]]);
  const loaded = buildRuleSet('rules', new Map([...texts].filter(([name]) => !name.includes('.test.'))));
  const ruleSet = loaded.kind === 'loaded' ? loaded.ruleSet : undefined;
  for (const name of ['shop.test.yaml', 'chat-2.test.yaml']) {
    const source = parseYaml('rules', name, texts.get(name) ?? '');
    const read = ruleSet && testsIn(source, name, ruleSet);
    const tests =
      read?.kind === 'tests' ? read.tests.flatMap((each) => (each.kind === 'bound' ? each.test : [])) : [];
    expect(tests).toHaveLength(2);
    for (const each of tests) expect(failuresOf(each, await runTest(each))).toEqual([]);
  }
});

test('files are valid for any name of the app', () => {
  const app = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/).filter((id) => /^[a-zA-Z0-9]/.test(id));
  fc.assert(
    fc.property(app, (id) => rulesOf(id).length === 1),
    { numRuns: 40 },
  );
});

test.each(['two\nlines', 'a: b #c', ' [x, y]', '12', 'null', '-', 'x, y', 'a\u0000b'])(
  'the text %j is written in one line, and read as it is',
  (text) => {
    const entry = { title: text, filters: [{ in: [text, 'x'] }] };
    const written = ruleText({ comment: [], entry }, {});
    expect(written.trimEnd().split('\n')).toHaveLength(2);
    expect(parse(written)).toEqual([entry]);
  },
);
