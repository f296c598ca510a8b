import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatProblems } from '../../../shared/rule-files/file-problems.ts';
import { loadRuleFiles } from '../../../shared/rule-files/yaml-rule-files.ts';
import { load, problemsOf, ROUTES, ruleFile } from './rule-folder.ts';

describe('valid rule files', () => {
  test('apply defaults to each rule, and sort rules by id', () => {
    const loaded = load({
      'b.yaml': ruleFile({ id: 'zebra' }),
      'a.yaml': `defaults: { app: shop, owner: growth, every: hour, severity: info, fire: { current: { below: 1 } } }
rules:
  - { id: one, title: One, metric: users }
  - { id: two, title: Two, metric: users, severity: critical }
`,
    });
    expect(loaded).toMatchObject({
      kind: 'loaded',
      ruleSet: {
        version: expect.stringMatching(/^[0-9a-f]{16}$/),
        rules: [
          { id: 'one', severity: 'info', cadence: { minutes: [0], zone: 'UTC' } },
          { id: 'two', severity: 'critical' },
          { id: 'zebra', severity: 'warning', fire: { change: { below: -0.3 } } },
        ],
        routes: { default: ['ops'] },
      },
    });
  });

  test('let a rule remove a default', () => {
    const loaded = load({
      'a.yaml': `defaults: { app: shop, owner: growth, every: day at 07:00, metric: users, anomaly: true, fire: { current: { below: 1 } } }
rules:
  - { id: bounds-alone, title: Bounds, anomaly: false }
  - { id: seasonal-alone, title: Anomaly, fire: ~ }
`,
    });
    const rules = loaded.kind === 'loaded' ? loaded.ruleSet.rules : [];
    expect(rules.map(({ id, anomaly, fire }) => ({ id, anomaly, fire }))).toEqual([
      { id: 'bounds-alone', anomaly: undefined, fire: { current: { below: 1 } } },
      { id: 'seasonal-alone', anomaly: true, fire: undefined },
    ]);
  });

  test('apply a default sensitivity to the seasonal rules alone', () => {
    const loaded = load({
      'a.yaml': `defaults: { title: T, app: shop, owner: growth, every: day at 07:00, sensitivity: high }
rules:
  - { id: anomaly, metric: users, anomaly: true }
  - { id: bounds, metric: users, fire: { current: { below: 1 } } }
  - { id: either, any_of: [anomaly, bounds] }
  - { id: seasonal, metric: users, compare: { to: seasonal }, fire: { change: { below: -30% } } }
  - { id: usual, metric: users, anomaly: true, sensitivity: ~ }
`,
    });
    const rules = loaded.kind === 'loaded' ? loaded.ruleSet.rules : [];
    expect(rules.map(({ id, sensitivity }) => [id, sensitivity])).toEqual([
      ['anomaly', 'high'],
      ['bounds', undefined],
      ['either', undefined],
      ['seasonal', 'high'],
      ['usual', undefined],
    ]);
  });

  test('change their version only with their meaning', () => {
    const versionOf = (files: Record<string, string>) => {
      const loaded = load(files);
      return loaded.kind === 'loaded' ? loaded.ruleSet.version : loaded.problems;
    };
    const version = versionOf({ 'x.yaml': ruleFile() });
    expect(versionOf({ 'other.yaml': `# a comment\n${ruleFile({ severity: 'warning' })}` })).toBe(version);
    expect(versionOf({ 'x.yaml': ruleFile({ severity: 'info' }) })).not.toBe(version);
    expect(versionOf({ 'x.yaml': ruleFile(), 'routes.yaml': `${ROUTES}routes: []\n` })).toBe(version);
    expect(versionOf({ 'x.yaml': ruleFile(), 'routes.yaml': ROUTES.replace('slack/ops', 'else') })).not.toBe(
      version,
    );
  });
});

/** Other problems are in the golden file of wrong files. */
describe('a wrong rule is reported:', () => {
  test('a wrong default, once and where it is written', () => {
    const text = `defaults: { app: shop, owner: growth, every: hour, fire: { current: { below: x } } }
rules:
  - { id: one, title: One, metric: users }
  - { id: two, title: Two, metric: users }
`;
    expect(problemsOf(text)).toEqual(['1:78 must be a number; found "x"']);
  });

  test('a wrong value behind an alias, at its anchor', () => {
    const text = ruleFile({ fire: '&bounds { current: { below: x } }', recover: '*bounds' });
    expect(problemsOf(text)).toEqual(['8:39 must be a number; found "x"']);
  });
});

describe('a wrong file is reported:', () => {
  test('a repeated id in two files, even if one has other problems', () => {
    const loaded = load({ 'a.yaml': ruleFile(), 'b.yaml': ruleFile({ metric: 'x' }) });
    expect(loaded).toMatchObject({
      kind: 'problems',
      problems: [
        { file: 'rules/b.yaml', message: 'the rule id "sessions-drop" is already used at rules/a.yaml:2:9' },
        { file: 'rules/b.yaml', message: expect.stringContaining('unknown metric "x"') },
      ],
    });
  });

  test('all problems of all files at once', () => {
    const loaded = load({
      'a.yaml': ruleFile({ metric: 'x' }),
      'b.yaml': 'rules: [',
      'routes.yaml': 'default: [ops]\n',
    });
    const files = loaded.kind === 'problems' ? loaded.problems.map(({ file }) => file) : [];
    expect(files).toEqual(['rules/a.yaml', 'rules/b.yaml', 'rules/routes.yaml']);
  });
});

test('hundreds of rules may share an alias, but exponential aliases are refused', () => {
  const rules = Array.from({ length: 150 }, (_, i) => ruleFile({ id: `r${i}`, fire: '*fire' }).slice(7));
  const shared = 'defaults: { fire: &fire { change: { below: -30% } } }\nrules:\n';
  expect(load({ 'x.yaml': shared + rules.join('') }).kind).toBe('loaded');

  const tenfold = (name: string, of: string) => `${name}: &${name} [${Array(10).fill(of).join(', ')}]\n`;
  const bomb =
    tenfold('a', 'x') +
    tenfold('b', '*a') +
    tenfold('c', '*b') +
    tenfold('d', '*c') +
    tenfold('e', '*d') +
    tenfold('f', '*e');
  expect(problemsOf(bomb)).toEqual([
    expect.stringMatching(/^1:1 its aliases \(\*name\) expand to more than/),
  ]);
});

describe('loadRuleFiles', () => {
  test('ignores other files, tests and incidents', async () => {
    await using folder = await aFolder({
      ...{ 'x.yaml': ruleFile(), 'routes.yaml': ROUTES },
      ...{ 'README.md': '{', 'x.test.yaml': 'tests: []' },
    });
    expect(await loadRuleFiles(folder.path)).toMatchObject({ kind: 'loaded' });
  });

  test('suggests a name for a file with the wrong extension', async () => {
    await using folder = await aFolder({ 'x.yaml': ruleFile(), 'routes.yaml': ROUTES, 'y.yml': '{' });
    expect(await loadRuleFiles(folder.path)).toMatchObject({
      problems: [{ file: join(folder.path, 'y.yml'), message: 'is not read; rename it to y.yaml' }],
    });
  });

  test('reports rule files that are not read, and no other files', async () => {
    await using folder = await aFolder({ 'x.yaml': ruleFile(), 'routes.yaml': ROUTES, 'parts.ts': '' });
    for (const [path, files] of Object.entries({
      pay: { 'y.yaml': ruleFile(), 'other.yaml': 'a: 1\n', 'y.test.yaml': 'tests: []\n' },
      shop: { 'z.yaml': ruleFile(), 'routes.yaml': ROUTES },
    })) {
      await mkdir(join(folder.path, path));
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, path, name), text);
    }
    const loaded = await loadRuleFiles(folder.path);
    const problems = loaded.kind === 'problems' ? loaded.problems : [];
    expect(problems.map(({ file, message }) => [relative(folder.path, file), message])).toEqual([
      ['pay/y.yaml', 'is not read; move it to the rules folder, as subfolders are not read'],
    ]);
  });

  test('reports missing rules and routes together', async () => {
    await using folder = await aFolder({});
    expect(await loadRuleFiles(folder.path)).toMatchObject({
      kind: 'problems',
      problems: [
        { message: 'has no rule files; add one that ends in .yaml or .rules.ts' },
        { message: expect.stringContaining('is missing') },
      ],
    });
  });

  test('reports a missing folder as a problem', async () => {
    expect(await loadRuleFiles('no-such-folder')).toMatchObject({
      problems: [
        {
          file: 'no-such-folder',
          line: 0,
          column: 0,
          message: 'there is no folder no-such-folder; use --rules for another',
        },
      ],
    });
  });

  test('loads the rules of this repository', async () => {
    const loaded = await loadRuleFiles('rules');
    expect(loaded.kind === 'problems' ? formatProblems(loaded.problems) : loaded.kind).toBe('loaded');
  });
});

async function aFolder(files: Record<string, string>) {
  const path = await mkdtemp(join(tmpdir(), 'rules-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
