import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readRules } from '../../../cli/options/read-rules.ts';
import { ruleIn } from '../../../workbench/explore/asked-rule.ts';
import { filesOf, proposalUrl, type RuleFolder, writeRule } from '../../../workbench/explore/rule-files.ts';
import { type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';

const ROUTES = 'channels: { team: { slack: { webhook_secret: hook } } }\ndefault: [team]\n';

let temporary: Folder;
let folder: RuleFolder;
beforeEach(async () => {
  temporary = await temporaryFolder();
  folder = { dir: temporary.path, read: () => readRules(temporary.path) };
  await writeFile(join(folder.dir, 'routes.yaml'), ROUTES);
  return () => temporary[Symbol.asyncDispose]();
});

function filesFor(asked: Record<string, string>) {
  const found = ruleIn({ app: 'shop', watch: 'purchase', ...asked }, [], []);
  if ('faults' in found) throw new Error(JSON.stringify(found.faults));
  return filesOf(found);
}

test.each<[string, Record<string, string>]>([
  ['the usual range', {}],
  [
    'a fall of hours in a country',
    { grain: 'hour', change: '-50%', attribute1: 'device_country', value1: 'Spain' },
  ],
  ['a rise', { change: '30%' }],
  ['a ratio', { watch: 'purchase / view_item', change: '-30%' }],
  ['a rising ratio', { watch: 'purchase / view_item', change: '50%' }],
  ['a ratio that triples', { watch: 'purchase / view_item', change: '200%' }],
  ['an app whose name is no id', { app: 'Shop.web' }],
  ['an id that looks like a number', { app: '1e', title: '5' }],
  ['users by country', { watch: 'event_users', group: 'device_country', change: '-40%' }],
  ['a mean by version', { watch: 'rage_gestures_per_session', group: 'app_version', change: '60%' }],
  ['two groups', { group: 'device_platform, app_version', change: '-40%' }],
  ['seconds in their usual range', { watch: 'session_seconds' }],
  ['hostile names', { watch: `a: {b}, "c" # 'd'`, title: '- <b>*&x: \n# y', change: '-50' }],
])('the files of %s are written, and their test passes', async (_, asked) => {
  const files = filesFor(asked);
  const { rules } = await writeRule(files, folder);
  expect(rules.map(({ id }) => id)).toEqual([files.id]);
  expect(await readFile(join(folder.dir, `${files.id}.yaml`), 'utf8')).toBe(files.rule);
});

test.each<[string, (files: ReturnType<typeof filesFor>) => object, RegExp]>([
  ['a broken rule', ({ rule }) => ({ rule: rule.replace('metric', 'metrik') }), /metrik/],
  [
    'a test that fails',
    ({ test }) => ({ test: test.replace(/56 \d+/, '56 990') }),
    /the test fails: .*fired/,
  ],
  ['a file that exists', () => ({ id: 'routes' }), /cannot be written: .*routes\.yaml already exists/],
  [
    'another id than the name of the file',
    ({ rule, test }) => ({ rule: rule.replace('shop-', 'my-'), test: test.replaceAll('shop-', 'my-') }),
    /no rule has the id "shop-purchase"/,
  ],
])('%s is refused and leaves the folder as it was', async (_, changed, says) => {
  const files = filesFor({ change: '-50%' });
  await expect(writeRule({ ...files, ...changed(files) }, folder)).rejects.toThrow(says);
  expect(await readdir(folder.dir)).toEqual(['routes.yaml']);
  expect(await readFile(join(folder.dir, 'routes.yaml'), 'utf8')).toBe(ROUTES);
});

test('GitHub opens a new file with the rule', () => {
  const files = filesFor({});
  const address = proposalUrl(files, { ...folder, url: 'https://github.com/acme/shop/blob/main/ops/rules' });
  const { origin, pathname, searchParams } = new URL(address ?? '');
  expect([origin, pathname]).toEqual(['https://github.com', '/acme/shop/new/main/ops/rules']);
  expect(searchParams.get('filename')).toBe('shop-purchase.yaml');
  expect(searchParams.get('value')).toBe(files.rule);
  expect(
    proposalUrl(files, { ...folder, url: 'https://git.example.com/acme/blob/main/rules' }),
  ).toBeUndefined();
});
