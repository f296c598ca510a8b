import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { readRules } from '../../../cli/options/read-rules.ts';
import { formatProblems } from '../../../shared/rule-files/file-problems.ts';
import { loadRuleFiles } from '../../../shared/rule-files/yaml-rule-files.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { type TestResult, testRules } from '../../../workbench/rule-tests/test-rules.ts';
import { documentAt } from '../../docs/documents.ts';
import { deltawatch, temporaryFolder } from '../../fixtures/deltawatch.ts';

const { blocks } = documentAt('docs/start/getting-started.md');

/** The command of a block, and its output in the next block. */
function step(name: string): { words: string[]; shown: string } {
  const at = blocks.findIndex(({ text }) => text.startsWith(`npx deltawatch ${name}`));
  const next = blocks[at + 1];
  const words = blocks[at]?.text.trim().split(' ').slice(2) ?? [];
  return { words, shown: next?.language === 'text' ? next.text : '' };
}

/** Events of two weeks with the columns of the document. */
function ordersCsv(): string {
  const [head] = blocks.find(({ language }) => language === 'csv')?.text.split('\n') ?? [];
  const rows = Array.from({ length: 14 * 24 * 20 }, (_, i) => {
    const at = new Date(Date.now() - ((i + 1) * HOUR_MS) / 20).toISOString();
    return `${at},c-${i % 90},${i % 3 === 0 ? 'search' : 'order'},Germany`;
  });
  return [head, ...rows].join('\n');
}

test('getting-started.md leads from an empty folder to valid, tested rules', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'orders.csv'), ordersCsv());
  const imported = await deltawatch([...step('data import').words, '--yes'], folder.path);
  expect(imported.code).toBe(0);
  for (const name of ['init', 'check', 'test']) {
    const { words, shown } = step(name);
    const { code, stdout, stderr } = await deltawatch(words, folder.path);
    expect(stderr.replaceAll(/^Trying rules on the past .*\n/gm, '')).toBe('');
    expect(code).toBe(0);
    expect(shown).not.toBe('');
    expect(stdout).toContain(shown);
  }

  const dir = join(folder.path, 'rules');
  const file = join(dir, 'shop.yaml');
  const rules = await readFile(file, 'utf8');
  const { rules: written } = z
    .object({ rules: z.array(z.record(z.string(), z.unknown())) })
    .parse(parse(rules));
  const orders = written.find(({ id }) => id === 'shop-order');
  expect(orders).toMatchObject(parse(blocks.find(({ language }) => language === 'yaml')?.text ?? ''));

  const [mistake] = blocks.filter(({ text }) => text.startsWith('rules/shop.yaml:'));
  await writeFile(file, rules.replace('metric: sessions', 'metric: sesions'));
  const refused = await loadRuleFiles(dir);
  const problems = refused.kind === 'problems' ? refused.problems : [];
  const fromHere = problems.map((each) => ({ ...each, file: relative(folder.path, each.file) }));
  expect(formatProblems(fromHere)).toBe(mistake?.text.trimEnd());

  await writeFile(file, rules.replace(/below: -\d+%/, 'below: -97%'));
  const results: TestResult[] = [];
  const files = [join(dir, 'shop.test.yaml')];
  const run = { files, rulesIn: readRules, dir: undefined, only: undefined, clock: new ManualClock(0) };
  for await (const result of testRules(run)) results.push(result);
  expect(results.map(({ outcome }) => outcome)).toEqual(['failed', 'passed']);
  expect(results[0]?.failures.join('\n')).toContain('FAILED threshold: 50 compared with 1,000 (-95%)');
});
