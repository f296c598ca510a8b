import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pinned, type TeamRepository, teamRepository } from './team-repository.ts';

/** The oldest supported version, beside that of the tests. */
const OLDEST_NODE = '22.18.0';
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;
const BIN = 'node_modules/deltawatch/cli/bin.js';

const TSCONFIG = {
  compilerOptions: {
    ...{ target: 'ES2024', module: 'NodeNext', strict: true, noEmit: true, types: [] },
    ...{ allowImportingTsExtensions: true, exactOptionalPropertyTypes: true },
  },
  include: ['rules', '*.ts'],
};

const RULES = `import { defineRules } from 'deltawatch/rules';

const rule = { title: 'Sessions', app: 'shop', owner: 'shop-team', metric: 'sessions', anomaly: true } as const;
export default defineRules({
  rules: ['DE', 'FR'].map((country) => ({
    ...rule,
    id: \`sessions-\${country.toLowerCase()}\`,
    every: 'day at 07:00' as const,
    runbook: 'Check the last release.',
    filters: [{ attribute: 'device_country' as const, operator: 'equal' as const, value: country }],
  })),
});
`;

const WARNED_RULES = `rules:
  - { id: visits, title: Visits, app: shop, owner: shop-team, every: day at 07:00, metric: sessions, anomaly: true, severity: critical }
`;

const WARNED_ROUTES = `channels: { team: { slack: { webhook_secret: team } } }
default: [team]
`;

const WRONG_RULES = `import { defineRules } from 'deltawatch/rules';
export default defineRules({
  rules: [{ id: 'a', title: 'A', app: 'shop', owner: 'shop-team', every: 'fortnight', metric: 'sessions', anomaly: true }],
});
`;

const PROGRAM = `import { evaluate, loadRules, type Outcome } from 'deltawatch';
import { runRuleTests } from 'deltawatch/testing';

const { rules } = await loadRules('rules');
const rule = rules.find(({ id }) => id === 'shop-sessions');
if (!rule) throw new Error('no rule');
const points = Array.from({ length: 40 }, (_, day) => ({
  at: Date.UTC(2026, 0, 5) + day * 86_400_000,
  value: day === 35 ? 300 : 1000,
}));
const breached: Outcome[] = [];
for await (const outcome of evaluate(rule, points))
  if (outcome.kind === 'evaluated' && outcome.evaluation.verdict === 'breached') breached.push(outcome);
const results = await runRuleTests(['rules']);
console.log(breached.length, results.map(({ outcome }) => outcome).join());
// @ts-expect-error: a rule, not its id
export const wrong = () => evaluate('shop-sessions', points);
`;

let team: TeamRepository;
beforeAll(async () => {
  team = await teamRepository({ others: [`${NODE_PACKAGE}@${OLDEST_NODE}`], isLean: true });
});
afterAll(() => team[Symbol.asyncDispose]());

test('it installs without a warning about engines, with fewer than 200 packages and 180 MB', async () => {
  const { code, stdout, stderr } = team.installed;
  expect(code, stderr).toBe(0);
  expect(stdout + stderr).not.toMatch(/EBADENGINE|deprecated|ERESOLVE/);
  const { stdout: listed } = await team.run('npm', 'ls', '--all', '--parseable', '--omit=optional');
  // Without this folder and the older Node.
  const packages = listed.trim().split('\n').length - 1;
  expect(packages).toBeLessThan(200);
  const { stdout: size } = await team.run('du', '-sm', `--exclude=${NODE_PACKAGE}`, 'node_modules');
  console.log(`installed: ${packages} packages, ${Number.parseInt(size, 10)} MB`);
  expect(Number.parseInt(size, 10)).toBeLessThan(180);
});

describe.each([
  ['this Node', process.execPath, 'rules'],
  [`Node ${OLDEST_NODE}`, join('node_modules', NODE_PACKAGE, 'bin/node'), 'older-rules'],
])('on %s', (_, node, rules) => {
  const deltawatch = (...args: string[]) => team.run(node, BIN, ...args);

  test('the version, and the help of every command, need no optional package', async () => {
    expect(await deltawatch('--version')).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
    const { code, stdout, stderr } = await deltawatch('--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('backtest');
  });

  test('init writes rules that check and test accept, beside rules in TypeScript', async () => {
    const begun = await deltawatch('init', '--rules', rules, '--app', 'shop');
    expect(begun).toMatchObject({ code: 0, stderr: '' });
    await team.write(join(rules, 'countries.rules.ts'), RULES);
    const checked = await deltawatch('check', '--rules', rules);
    expect(checked).toEqual({ code: 0, stdout: expect.stringContaining('3 rules are valid'), stderr: '' });
    const tested = await deltawatch('test', rules);
    expect(tested).toMatchObject({ code: 0, stdout: expect.stringContaining('2 passed, 0 failed') });
  });

  test('check names the document of the package that explains findings', async () => {
    const dir = `warned-${rules}`;
    await mkdir(join(team.path, dir));
    await team.write(join(dir, 'growth.yaml'), WARNED_RULES);
    await team.write(join(dir, 'routes.yaml'), WARNED_ROUTES);
    const { stdout } = await deltawatch('check', '--rules', dir);
    expect(stdout).toMatch(/\(node_modules\/deltawatch\/docs\/reference\/lint.md\s+explains each\)/);
  });

  test.each([
    [
      ['serve', '--data', '.'],
      /^error: this needs a package .*\(@duckdb\/node-api\):\n\nnpm install --include=optional\n$/s,
    ],
    [
      ['mcp'],
      /^error: this needs a package .*\(@modelcontextprotocol\/sdk\):\n\nnpm install --include=optional\n$/s,
    ],
    [
      ['start', '--rules', 'RULES'],
      /^error: this needs packages .*@duckdb.*:\n\nnpm install --include=optional\n$/s,
    ],
  ])('%j names the missing packages, and how to install them', async (args, sentence) => {
    const { code, stdout, stderr } = await deltawatch(...args.map((arg) => (arg === 'RULES' ? rules : arg)));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(sentence);
  });
});

test('the types check rules and programs, which run', async () => {
  await using typed = await teamRepository({ others: pinned('typescript') });
  expect(await typed.run('npx', 'deltawatch', 'init', '--app', 'shop')).toMatchObject({
    code: 0,
  });
  await typed.write('rules/countries.rules.ts', RULES);
  await typed.write('program.ts', PROGRAM);
  await typed.write('tsconfig.json', JSON.stringify(TSCONFIG));
  expect(await typed.run('node_modules/.bin/tsc')).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await typed.run(process.execPath, 'program.ts')).toEqual({
    code: 0,
    stdout: '1 passed,passed\n',
    stderr: '',
  });
  await typed.write('wrong.rules.ts', WRONG_RULES);
  const { stdout } = await typed.run('node_modules/.bin/tsc');
  expect(stdout).toMatch(/^wrong\.rules\.ts\(3,\d+\): error .*"fortnight"/);
});
