// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are files of their own
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { readTypeScript } from '../../../shared/adapters/typescript-rule-files.ts';
import { runRuleModule } from '../../../shared/adapters/typescript-rule-module.ts';
import { loadRuleFiles } from '../../../shared/adapters/yaml-rule-files.ts';
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

/** What is wrong with `x.rules.ts`, as `line:column message`, or in another file with its name. */
async function problemsOf(text: string, besides: Record<string, string> = {}): Promise<string[]> {
  await using folder = await folderOf({ 'x.rules.ts': text, ...besides });
  const loaded = await loadRuleFiles(folder.path);
  if (loaded.kind === 'loaded') return [];
  return loaded.problems.map(({ file, line, column, message }) =>
    `${file.slice(folder.path.length + 1)}:${line}:${column} ${message}`.replace(/^x\.rules\.ts:/, ''),
  );
}

test('a loop gives its rules, wherever the folder lies', async () => {
  await using folder = await folderOf({ 'orders.rules.ts': FAMILY });
  const loaded = await loadRuleFiles(folder.path);
  expect(loaded).toMatchObject({
    kind: 'loaded',
    ruleSet: {
      rules: [
        { id: 'orders-de', title: 'Orders from Germany', owner: 'growth', runbook: 'Call Berlin.' },
        { id: 'orders-fr', cadence: { zone: 'Europe/Berlin' }, fire: { change: { below: -0.3 } } },
      ],
    },
  });
});

test('means what the same rules in YAML mean, each time it is read', async () => {
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

test('a change is seen by the next reading, in files that it imports as well', async () => {
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
  ['a package that says its files are CommonJS', { 'package.json': '{ "type": "commonjs" }' }],
  [
    'an installed Deltawatch of another version',
    {
      'node_modules/deltawatch/package.json': '{ "name": "deltawatch", "exports": { "./rules": "./no.js" } }',
    },
  ],
])('is read as it stands in %s', async (_, besides) => {
  expect(await problemsOf(FAMILY, besides)).toEqual([]);
});

describe('what is wrong is told with its place:', () => {
  const family = (from: string, to: string) => FAMILY.replace(from, to);
  test.concurrent.each<[string, string, string | RegExp]>([
    [
      'a value of rules in a loop',
      family("value: 'order'", 'value: {}'),
      /^14:\d+ rule "orders-de" filters\.0\.value: .*takes one value, not a list/,
    ],
    [
      'a value in the second of a list',
      family("'equal', value: country", "'equals', value: country"),
      /^15:38 rule "orders-de" filters\.1\.operator: unknown operator "equals"/,
    ],
    [
      'a value in defaults',
      family("'-30%'", '-0.3'),
      '7:73 defaults.fire.change.below: write a percentage with its sign, such as "50%" or "-30%", found -0.3',
    ],
    [
      'a value in a constant',
      family("'day at 07:00'", "'days at 7'"),
      /^3:17 defaults\.every: did you mean "day at 07:00"\? accepted are "hour"/,
    ],
    [
      'an unknown key',
      family('title:', 'titel:'),
      /^10:5 rule "orders-de": unknown key "titel"; did you mean "title"\?/,
    ],
    [
      'a key that is missing',
      family("app: 'shop', ", ''),
      '9:9 rule "orders-de" app: "app" is missing; it is the app id in the data access service',
    ],
    [
      'an id that is repeated',
      family('`orders-${code}`', "'orders'"),
      /^9:9 rule "orders" id: the rule id "orders" is already at .*x\.rules\.ts:9:9$/,
    ],
    [
      'an id that is none',
      family('`orders-${code}`', '7'),
      /rule 1 id: .*use lower-case letters, digits and dashes, found 7/,
    ],
    ['rules that are no list', 'export default {\n  rules: { a: 1 } };\n', /^2:3 rules: must be a list/],
    ['an export that is no map', 'export default [];\n', /^1:1 is a list; write it under the key "rules"$/],
    [
      'no export',
      'export const rules = [];\n',
      '1:1 exports no rules; write "export default defineRules({ … })"',
    ],
    [
      'a function',
      "export default { rules: [{ id: 'a', title: () => 'A' }] };\n",
      '1:37 rules.0.title is a function; rules hold texts, numbers, true, false, lists and maps',
    ],
    [
      'a date',
      "export default { rules: [{ id: 'a', holidays: { days: [new Date(0)] } }] };\n",
      /rules\.0\.holidays\.days\.0 is a Date; rules hold/,
    ],
    ['a promise', 'export default Promise.resolve({});\n', / is a promise; rules hold/],
    [
      'something that holds itself',
      'const a: Record<string, unknown> = {};\na.rules = [a];\nexport default a;\n',
      / is something that holds itself; rules hold/,
    ],
    [
      'no TypeScript',
      'const a = {\n  b: 1,\nexport default a;\n',
      /^3:8 no TypeScript: Unexpected token `default`/,
    ],
    [
      'a file that ends too early',
      'export default {\n  rules: [\n    { id: 1 },\n  ],\n',
      /^4:1 no TypeScript: the file ends before all is closed that it opens/,
    ],
    [
      'a comma that is missing',
      'export default {\n  a: 1\n  b: 2,\n};\n',
      /^3:3 no TypeScript: a comma is missing before this, or a quote is not closed/,
    ],
    [
      'a bracket too many',
      'export default {\n  a: [1]],\n};\n',
      /^2:9 no TypeScript: "\]" is not expected here; is a bracket or a comma missing before it\?/,
    ],
    [
      'a template that does not close',
      'export default {\n  a: `1,\n};\n',
      /^2:1 no TypeScript: what ` opens is not closed/,
    ],
    [
      'what is more than types',
      'enum Country { de }\nexport default Country;\n',
      /^1:1 TypeScript enum is not supported in strip-only mode: types are taken out/,
    ],
    [
      'something thrown',
      "const of = (code: string) => {\n  throw new Error(`no country ${code}`);\n};\nexport default of('xx');\n",
      '2:9 no country xx',
    ],
    [
      'a file that is not there',
      "import { a } from './countries';\nexport default a;\n",
      '1:19 "./countries" cannot be imported: there is no such file; write its name whole, with ".ts"',
    ],
    [
      'a package that is not there',
      "import a from 'left-pad';\nexport default a;\n",
      '1:15 "left-pad" cannot be imported: no such package is installed where the file lies',
    ],
    [
      'a name that is not exported',
      "import { defineRule } from 'deltawatch/rules';\nexport default defineRule({});\n",
      /^1:10 The requested module .* 'defineRule'; a type is imported by "import type"/,
    ],
    [
      'the clock',
      'export default { rules: [{ id: `a-${Date.now()}` }] };\n',
      '1:42 rules must be the same each time they are read, so they cannot ask the clock',
    ],
    [
      'the clock, as a date',
      'export default { rules: [{ id: `a-${new Date().getDay()}` }] };\n',
      /^1:37 .* cannot ask the clock$/,
    ],
    ['chance', 'export default { rules: [Math.random()] };\n', /^1:31 .* cannot ask chance$/],
    [
      'the environment',
      'const { STAGE } = process.env;\nexport default { rules: [STAGE] };\n',
      /^1:\d+ .* cannot ask the environment$/,
    ],
    [
      'an end of the process',
      'process.exit(0);\n',
      '1:1 ended, or waits for what never comes, before it exported rules',
    ],
    [
      'a throw that comes late',
      "setTimeout(() => {\n  throw new Error('late');\n}, 0);\nawait new Promise((done) => setTimeout(done, 5000));\n",
      '2:9 late',
    ],
  ])('%s', async (_, text, wanted) => {
    const told = await problemsOf(text);
    expect(told).toContainEqual(typeof wanted === 'string' ? wanted : expect.stringMatching(wanted));
  });

  test('something thrown in a file that it imports', async () => {
    const besides = {
      'shared/of.ts': "export const of = () => {\n  throw new RangeError('too many');\n};\n",
    };
    const text = "import { of } from './shared/of.ts';\nexport default of();\n";
    expect(await problemsOf(text, besides)).toContain('shared/of.ts:2:9 too many');
  });

  test('but no secret that somebody wrote into it', async () => {
    const url = 'https://hooks.slack.com/services/T0/B0/0123456789abcdef';
    await using folder = await folderOf({ 'x.rules.ts': `throw new Error('no answer of ${url}');\n` });
    const loaded = await loadRuleFiles(folder.path);
    expect(JSON.stringify(loaded)).toContain('no answer of https://hooks.slack.com/…');
    expect(JSON.stringify(loaded)).not.toContain('0123456789abcdef');
  });

  test('each rule of a loop that is wrong', async () => {
    const problems = await problemsOf(family('title: `Orders from ${country}`', "title: ''"));
    expect(problems).toEqual([
      expect.stringMatching(/^10:5 rule "orders-de" title: /),
      expect.stringMatching(/^10:5 rule "orders-fr" title: /),
    ]);
  });
});

test('one that never ends is ended', async () => {
  await using folder = await folderOf({ 'x.rules.ts': 'while (true) {}\n' });
  const url = pathToFileURL(join(folder.path, 'x.rules.ts')).href;
  expect(await runRuleModule(url, 0.3)).toEqual({ kind: 'endless' });
});

describe('what differs between two machines is refused:', () => {
  // In one file for all, as each file is a thread of its own.
  const ASKED: Record<string, string> = {
    'randomUUID()': 'chance',
    'hostname()': 'the machine',
    'process.hrtime.bigint()': 'the clock',
    'new Date(2027, 2, 1).toISOString()': 'the machine',
    "new Date('2027-03-01T00:00').toISOString()": 'the machine',
    "new Date('March 1, 2027').toISOString()": 'the machine',
    "Date.parse('2027-03-01T00:00')": 'the machine',
    "new Date('2027-03-01').getDate()": 'the machine',
    "`${new Date('2027-03-01')}`": 'the machine',
    "new Date('2027-03-01').toLocaleDateString('en-CA')": 'the machine',
    'Intl.DateTimeFormat().resolvedOptions().timeZone': 'the machine',
    "new Intl.DateTimeFormat('en-CA', { timeZone: 'UTC' }).format()": 'the clock',
    // These are the same everywhere.
    "new Date(Date.UTC(2027, 2, 1)).toISOString() + Date.parse('2027-03-01') + new Date('2027-03-01T00:00+01:00').getUTCDate()":
      '',
    "new Date('2027-03-01').toLocaleDateString('en-CA', { timeZone: 'UTC' })": '',
    "new Intl.DateTimeFormat('en-CA', { timeZone: 'UTC' }).format(new Date('2027-03-01'))": '',
    "createHash('sha256').update('a').digest('hex')": '',
  };

  test('the clock, the zone and the machine, but no dates that are named', async () => {
    const said = Object.keys(ASKED).map((code) => `said(() => ${code})`);
    await using folder = await folderOf({
      'x.rules.ts': `
import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
function said(ask: () => unknown) { try { ask(); return ''; } catch (error) { return String(error); } }
export default { rules: [${said.join(', ')}] };
`,
    });
    const { value } = await readTypeScript(folder.path, 'x.rules.ts');
    const rules = z.object({ rules: z.array(z.string()) }).parse(value).rules;
    const asked = rules.map((text) => /cannot ask (the machine|the clock|chance)/.exec(text)?.[1] ?? text);
    expect(Object.fromEntries(Object.keys(ASKED).map((code, i) => [code, asked[i]]))).toEqual(ASKED);
  });
});
