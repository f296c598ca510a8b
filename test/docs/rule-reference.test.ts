import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { ATTRIBUTES, attributeNames } from '../../shared/contract/attributes.ts';
import { filterSchema } from '../../shared/contract/filters.ts';
import { GATES } from '../../shared/evaluation/gate.ts';
import { buildRuleSet, loadRuleFiles } from '../../shared/rule-files/yaml-rule-files.ts';
import { comparisonOf, comparisonSchema, defaultComparison } from '../../shared/rules/comparison.ts';
import type { Metric } from '../../shared/rules/metric.ts';
import { METRICS } from '../../shared/rules/metrics.ts';
import { ruleSetEntrySchema } from '../../shared/rules/rule.ts';
import { RULE_EXAMPLES } from '../../shared/rules/rule-examples.ts';
import { naturalWindow } from '../../shared/time/cadence.ts';
import { parseCadence } from '../../shared/time/parse-cadence.ts';
import { ROUTES } from '../fixtures/builders.ts';
import { temporaryFolder } from '../fixtures/deltawatch.ts';
import { blocksIn, codeIn, documentAt, tableIn } from './documents.ts';

const reference = documentAt('docs/reference/rules.md');
const keyRows = tableIn(reference, 'key').map(([key = '', , byDefault = '']) => ({
  key: codeIn(key).join(),
  byDefault,
}));

test('rules.md lists every key of a rule and which are required', () => {
  const { properties = {}, required } = z.toJSONSchema(ruleSetEntrySchema, { io: 'input' });
  expect(keyRows.map(({ key }) => key)).toEqual(Object.keys(properties));
  expect(keyRows.filter(({ byDefault }) => byDefault === '').map(({ key }) => key)).toEqual(required);
});

test('editors have an example of every nested key', () => {
  const { properties = {} } = z.toJSONSchema(ruleSetEntrySchema, { io: 'input' });
  // Rules do not accept filters on dates, a side of a ratio has the keys of a rule, and all percentiles read alike.
  const known = keysWithin(properties).filter(
    (key) => !/^filters value (lower|upper)$|^ratio (of|to) |^metric p(50|90|99)$/.test(key),
  );
  expect(known.length).toBeGreaterThan(40);
  expect(keysOf(RULE_EXAMPLES)).toEqual(expect.arrayContaining(known));
});

/** The keys of a JSON Schema at any depth, each with its path. */
function keysWithin(properties: object, around: string[] = []): string[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const forms = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
    const inner = forms.flatMap((form) => [form, form.items, ...(form.items?.oneOf ?? [])]);
    const path = [...around, key];
    return [path.join(' '), ...inner.flatMap((form) => keysWithin(form?.properties ?? {}, path))];
  });
}

/** The keys of values at any depth, each with its path. */
function keysOf(value: unknown, around: string[] = []): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => keysOf(item, around));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = [...around, key];
    return [path.join(' '), ...keysOf(inner, path)];
  });
}

test('rules.md shows valid rules in TypeScript', async () => {
  const [example] = blocksIn('ts', [reference]);
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'orders.rules.ts'), example?.text ?? '');
  await writeFile(join(folder.path, 'routes.yaml'), JSON.stringify(ROUTES));
  const loaded = await loadRuleFiles(folder.path);
  expect(loaded.kind === 'loaded' && loaded.ruleSet.rules.map(({ id, title }) => `${id}: ${title}`)).toEqual([
    'orders-de: Orders from Germany',
    'orders-fr: Orders from France',
    'orders-it: Orders from Italy',
  ]);
});

const defaults = keyRows.flatMap(({ key, byDefault }) =>
  /^`[^`]+`$/.test(byDefault) ? codeIn(byDefault).map((text) => ({ key, text })) : [],
);

test.each(defaults)('$key defaults to $text', ({ key, text }) => {
  expect(versionWith(`${key}: ${text}`)).toBe(versionWith(''));
});

/** The version of a rule set of one rule with this line added. Equal meaning gives the same version. */
function versionWith(line: string): string {
  const rule = `rules:\n  - id: a
    title: A
    app: demo
    owner: team
    every: hour
    metric: sessions
    fire: { change: { above: 10% } }
    ${line}\n`;
  const files = new Map([
    ['a.yaml', rule],
    ['routes.yaml', JSON.stringify(ROUTES)],
  ]);
  const loaded = buildRuleSet('docs', files);
  return loaded.kind === 'loaded' ? loaded.ruleSet.version : loaded.problems.join();
}

test('rules.md lists every metric with its kind, unit and endpoint', () => {
  const catalogue: [string, Metric][] = Object.entries(METRICS);
  expect(tableIn(reference, 'metric')).toEqual(
    catalogue.map(([name, { kind, unit, endpoint }]) => [`\`${name}\``, kind, unit, `${endpoint}s`]),
  );
});

test('rules.md lists valid cadences with their windows', () => {
  for (const [form = '', , window = ''] of tableIn(reference, 'cadence')) {
    const parsed = codeIn(form).map((words) => parseCadence(words, 'UTC'));
    const windows = parsed.map((each) => each.kind === 'cadence' && naturalWindow(each.cadence));
    expect(windows).toEqual(codeIn(window));
  }
});

test('rules.md lists rejected cadences', () => {
  const refused = tableIn(reference, 'refused').flatMap(([form = '']) => codeIn(form));
  const kinds = refused.map((words) => parseCadence(words, 'Europe/Berlin').kind);
  expect(kinds).toEqual(Array(3).fill('refused'));
});

test('rules.md names every attribute that rules can group by', () => {
  const cuttable = (resource: 'event' | 'user') =>
    attributeNames(resource, 'groupsOn').filter(
      (name) => !['bucket', 'json'].includes(ATTRIBUTES[name].type),
    );
  const [always, onEvents] = [namesIn(/can be grouped by: (.*?)\./), namesIn(/For events also (.*?)\./)];
  expect(always).toEqual(cuttable('user'));
  expect([...always, ...onEvents]).toEqual(cuttable('event'));
});

test('rules.md names every operator except those on dates', () => {
  const named = tableIn(reference, 'attributes of').flatMap(([, operators = '']) => codeIn(operators));
  const known = filterSchema.unwrap().options.flatMap(({ shape }) => shape.operator.options);
  const onDates = ['on', 'not_on', 'after', 'before', 'between_dates'];
  expect(new Set(named)).toEqual(
    new Set([...known.filter((name) => !onDates.includes(name)), 'property_name']),
  );
});

test('rules.md lists the gates in the order of evaluation', () => {
  expect(tableIn(reference, 'gate').map(([gate]) => gate)).toEqual(GATES.map((gate) => `\`${gate}\``));
});

test.each(['hour', 'day', 'week', 'month'] as const)(
  'rules.md states how %ss are compared by default',
  (grain) => {
    const row = tableIn(reference, 'windows').find(([windows = '']) => windows.includes(`${grain}s`)) ?? [];
    const defaults = [METRICS.event_count, METRICS.session_seconds].map((metric) =>
      defaultComparison(metric, grain, { fire: { change: { above: 1 } } }),
    );
    expect(
      row.slice(1).map((text) => comparisonOf(comparisonSchema.parse(parse(codeIn(text)[0] ?? '')))),
    ).toEqual(defaults);
  },
);

/** The names in the part of the reference that `pattern` captures. */
function namesIn(pattern: RegExp): string[] {
  return codeIn(reference.prose.match(pattern)?.[1] ?? '');
}
