import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { resultLines, summaryLine } from '../../cli/testing/test.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { formatProblems } from '../../shared/rule-files/file-problems.ts';
import { buildRuleSet } from '../../shared/rule-files/yaml-rule-files.ts';
import { parseYaml } from '../../shared/rule-files/yaml-source.ts';
import { ruleTestSchema } from '../../shared/rule-tests/rule-test-file.ts';
import { parseSeries } from '../../shared/rule-tests/series-notation.ts';
import { failuresOf } from '../../workbench/rule-tests/evaluate-test.ts';
import { testsIn } from '../../workbench/rule-tests/read-tests.ts';
import { runTest } from '../../workbench/rule-tests/run-test.ts';
import type { TestResult } from '../../workbench/rule-tests/test-rules.ts';
import { type Block, blocksIn, codeIn, documentAt, tableIn } from './documents.ts';

const FILE = 'rules/shop.test.yaml';
const ROUTES = 'channels: { team: { slack: { webhook_secret: team } } }\ndefault: [team]\n';

const DOCUMENT = documentAt('docs/how-to/testing-rules.md');
const BLOCKS = blocksIn('yaml', [DOCUMENT]);
const TESTS = BLOCKS.filter(({ text }) => Object.hasOwn(parse(text), 'tests'));
const [OUTPUT] = blocksIn('text', [DOCUMENT]);
const FAILING = TESTS.filter(({ text }) => OUTPUT?.text.includes(parse(text).tests[0].name));

const RULES = rulesIn(BLOCKS.find(({ text }) => Object.hasOwn(parse(text), 'rules')));

function rulesIn(block: Block | undefined): RuleSet {
  const files = new Map([
    ['shop.yaml', block?.text ?? ''],
    ['routes.yaml', ROUTES],
  ]);
  const loaded = buildRuleSet('docs', files);
  if (loaded.kind === 'problems') throw new Error(formatProblems(loaded.problems));
  return loaded.ruleSet;
}

/** The output of the command for the tests of a block. */
async function outputOf({ text }: Block): Promise<string> {
  const read = testsIn(parseYaml('rules', 'shop.test.yaml', text), FILE, RULES);
  if (read.kind === 'problems') return formatProblems(read.problems);
  const results: TestResult[] = [];
  const lines: string[] = [];
  for (const each of read.tests) {
    if (each.kind === 'wrong') return formatProblems(each.problems);
    const { name, place } = each.test;
    const failures = failuresOf(each.test, await runTest(each.test));
    const outcome = failures.length === 0 ? 'passed' : 'failed';
    const result: TestResult = { file: FILE, place, name, outcome, milliseconds: 0, failures };
    lines.push(...resultLines(result, results.at(-1)));
    results.push(result);
  }
  const passed = results.filter(({ outcome }) => outcome === 'passed').length;
  return [...lines, '', summaryLine(passed, results.length - passed), ''].join('\n');
}

test.each(TESTS.filter((block) => !FAILING.includes(block)))('the tests at $place pass', async (block) => {
  expect(await outputOf(block)).toMatch(/\n[1-9]\d* passed, 0 failed\n$/);
});

test('the failing test prints the documented output', async () => {
  expect(FAILING).toHaveLength(1);
  expect(await outputOf(FAILING[0] ?? { place: '', language: '', text: '' })).toBe(OUTPUT?.text);
});

describe('the tables of testing-rules.md', () => {
  const keysIn = (heading: string, row: number) =>
    tableIn(DOCUMENT, heading).flatMap((cells) => codeIn(cells[row] ?? ''));

  test('list exactly the keys of a test', () => {
    const table = tableIn(DOCUMENT, 'key').map(([key = '']) => codeIn(key)[0]);
    expect(table.toSorted()).toEqual(Object.keys(ruleTestSchema.shape).toSorted());
  });

  test('state how many windows a text expands to', () => {
    const rows = tableIn(DOCUMENT, 'written');
    expect(keysIn('written', 0)).toHaveLength(rows.length);
    for (const [text = '', , windows] of rows) {
      const parsed = parseSeries(codeIn(text)[0] ?? '');
      expect(parsed).toMatchObject({ kind: 'values' });
      expect([text, parsed.kind === 'values' && String(parsed.values.length)]).toEqual([text, windows]);
    }
  });
});
