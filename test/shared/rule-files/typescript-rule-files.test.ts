// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are files of their own
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readTypeScript, runRuleModule } from '../../../shared/rule-files/typescript-rule-files.ts';
import { loadRuleFiles } from '../../../shared/rule-files/yaml-rule-files.ts';
import { type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';

const ROUTES = 'channels: { ops: { slack: { webhook_secret: ops } } }\ndefault: [ops]\n';

const FAMILY = `import { defineRules } from 'deltawatch/rules';

const daily = { every: 'day at 07:00', zone: 'Europe/Berlin' } as const;
const countries: Record<string, string> = { de: 'Germany', fr: 'France' };

export default defineRules({
  defaults: { app: 'shop', owner: 'growth', ...daily, fire: { change: { below: '-30%' } } },
  rules: Object.entries(countries).map(([code, country]) => ({
    id: \`orders-\${code}\`,
    title: \`Orders from \${country}\`,
    metric: 'event_count',
    runbook: code === 'de' ? 'Call Berlin.' : undefined,
    filters: [
      { attribute: 'event_name', operator: 'equal', value: 'order' },
      { attribute: 'device_country', operator: 'equal', value: country },
    ],
  })),
});
`;

async function folderOf(files: Record<string, string>): Promise<Folder> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries({ 'routes.yaml': ROUTES, ...files })) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true });
    await writeFile(join(folder.path, name), text);
  }
  return folder;
}

/** The problems of `x.rules.ts` as `line:column message`. Those of other files start with the file name. */
async function problemsOf(text: string, otherFiles: Record<string, string> = {}): Promise<string[]> {
  await using folder = await folderOf({ 'x.rules.ts': text, ...otherFiles });
  const loaded = await loadRuleFiles(folder.path);
  if (loaded.kind === 'loaded') return [];
  return loaded.problems.map(({ file, line, column, message }) =>
    `${file.slice(folder.path.length + 1)}:${line}:${column} ${message}`.replace(/^x\.rules\.ts:/, ''),
  );
}

test('the same rules in TypeScript and YAML load equally', async () => {
  const yaml = `
defaults: { app: shop, owner: growth, every: day at 07:00, zone: Europe/Berlin, metric: event_count, fire: { change: { below: -30% } } }
rules:
  - id: orders-fr
    title: Orders from France
    filters: [{ attribute: event_name, operator: equal, value: order }, { attribute: device_country, operator: equal, value: France }]
  - id: orders-de
    title: Orders from Germany
    runbook: Call Berlin.
    filters: [{ attribute: event_name, operator: equal, value: order }, { attribute: device_country, operator: equal, value: Germany }]
`;
  await using inTypeScript = await folderOf({ 'orders.rules.ts': FAMILY });
  await using inYaml = await folderOf({ 'orders.yaml': yaml });
  const [first, second, written] = await Promise.all(
    [inTypeScript, inTypeScript, inYaml].map(({ path }) => loadRuleFiles(path)),
  );
  expect(first?.kind).toBe('loaded');
  const ruleSetOf = (loaded: typeof written) => loaded?.kind === 'loaded' && loaded.ruleSet;
  expect(ruleSetOf(second)).toEqual(ruleSetOf(first));
  expect(ruleSetOf(written)).toEqual(ruleSetOf(first));
});

test('a change of an imported file is seen by the next load', async () => {
  const files = {
    'a.rules.ts': FAMILY.replace(/const countries.*/, "import { countries } from './countries.ts';"),
    'countries.ts': "export const countries: Record<string, string> = { de: 'Germany' };\n",
  };
  await using folder = await folderOf(files);
  const ids = async () => {
    const loaded = await loadRuleFiles(folder.path);
    return loaded.kind === 'loaded' ? loaded.ruleSet.rules.map(({ id }) => id) : loaded.problems;
  };
  expect(await ids()).toEqual(['orders-de']);
  await writeFile(join(folder.path, 'countries.ts'), files['countries.ts'].replace('de:', 'it:'));
  expect(await ids()).toEqual(['orders-it']);
});

test.each([
  ['a CommonJS package', { 'package.json': '{ "type": "commonjs" }' }],
  [
    'a project with another version of Deltawatch',
    {
      'node_modules/deltawatch/package.json': '{ "name": "deltawatch", "exports": { "./rules": "./no.js" } }',
    },
  ],
])('a file in %s is loaded', async (_, otherFiles) => {
  expect(await problemsOf(FAMILY, otherFiles)).toEqual([]);
});

describe('a wrong file is reported:', () => {
  const family = (from: string, to: string) => FAMILY.replace(from, to);
  test.concurrent.each<[string, string, string | RegExp]>([
    [
      'a wrong value of a rule from a loop, with key and rule',
      family("'equal', value: country", "'equals', value: country"),
      /^1:1 rules\[0\]\.filters\[1\]\.operator \(rule "orders-de"\): unknown operator "equals"/,
    ],
    [
      'a repeated id',
      family('`orders-${code}`', "'orders'"),
      /^1:1 rules\[1\]\.id \(rule "orders"\): the rule id "orders" is already used at .*x\.rules\.ts:1:1$/,
    ],
    [
      'a function among the values',
      "export default { rules: [{ id: 'a', title: () => 'A' }] };\n",
      '1:1 rules[0].title is a function; use only strings, numbers, true, false, lists and maps',
    ],
    [
      'a value that contains itself',
      'const a: Record<string, unknown> = {};\na.rules = [a];\nexport default a;\n',
      '1:1 rules[0] contains itself',
    ],
    [
      'a syntax error',
      'const a = {\n  b: 1,\nexport default a;\n',
      /^3:8 is not valid TypeScript: Unexpected token `default`/,
    ],
    [
      'syntax that is more than types',
      'enum Country { de }\nexport default Country;\n',
      /^1:1 TypeScript enum is not supported in strip-only mode: Node only strips types/,
    ],
    [
      'a thrown error',
      "const of = (code: string) => {\n  throw new Error(`no country ${code}`);\n};\nexport default of('xx');\n",
      '2:9 no country xx',
    ],
    [
      'an import of a file that does not exist',
      "import { a } from './countries';\nexport default a;\n",
      /^1:1 Cannot find module '.*countries' imported from .*x\.rules\.ts; .* such as "\.\/countries\.ts"$/,
    ],
    [
      'an import of a name that is not exported',
      "import { defineRule } from 'deltawatch/rules';\nexport default defineRule({});\n",
      /^1:10 The requested module .* 'defineRule'; import types with "import type"/,
    ],
    [
      'an exit of the process',
      'process.exit(0);\n',
      /^1:1 ended without exporting rules: it calls process\.exit/,
    ],
    [
      'an asynchronous error',
      "setTimeout(() => {\n  throw new Error('late');\n}, 0);\nawait new Promise((done) => setTimeout(done, 5000));\n",
      '2:9 late',
    ],
  ])('%s', async (_, text, wanted) => {
    const found = await problemsOf(text);
    expect(found).toContainEqual(typeof wanted === 'string' ? wanted : expect.stringMatching(wanted));
  });

  test('an error thrown by an imported file', async () => {
    const otherFiles = {
      'shared/of.ts': "export const of = () => {\n  throw new RangeError('too many');\n};\n",
    };
    const text = "import { of } from './shared/of.ts';\nexport default of();\n";
    expect(await problemsOf(text, otherFiles)).toContain('shared/of.ts:2:9 too many');
  });

  test('an error without its secrets', async () => {
    const url = 'https://hooks.slack.com/services/T0/B0/0123456789abcdef';
    await using folder = await folderOf({ 'x.rules.ts': `throw new Error('no answer of ${url}');\n` });
    const loaded = await loadRuleFiles(folder.path);
    expect(JSON.stringify(loaded)).toContain('no answer of https://hooks.slack.com/…');
    expect(JSON.stringify(loaded)).not.toContain('0123456789abcdef');
  });
});

test('a file that does not finish is stopped', async () => {
  await using folder = await folderOf({ 'x.rules.ts': 'while (true) {}\n' });
  const url = pathToFileURL(join(folder.path, 'x.rules.ts')).href;
  expect(await runRuleModule(url, 0.3)).toMatchObject({ message: 'did not finish within 0.3 seconds' });
});

test('a file sees no environment variables', async () => {
  await using folder = await folderOf({ 'x.rules.ts': 'export default Object.keys(process.env);\n' });
  expect((await readTypeScript(folder.path, 'x.rules.ts')).value).toEqual([]);
});
