import { resultLines, summaryLine } from '../../cli/testing/test.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { formatProblems } from '../../shared/rule-files/file-problems.ts';
import { buildRuleSet } from '../../shared/rule-files/yaml-rule-files.ts';
import { parseYaml } from '../../shared/rule-files/yaml-source.ts';
import { failuresOf } from '../../workbench/rule-tests/evaluate-test.ts';
import { testsIn } from '../../workbench/rule-tests/read-tests.ts';
import { runTest } from '../../workbench/rule-tests/run-test.ts';
import type { TestResult } from '../../workbench/rule-tests/test-rules.ts';
import type { Block } from './documents.ts';

const FILE = 'rules/shop.test.yaml';
const ROUTES = 'channels: { team: { slack: { webhook_secret: team } } }\ndefault: [team]\n';

/** The rules of a block of a document. */
export function rulesIn(block: Block | undefined, routes = ROUTES): RuleSet {
  const files = new Map([
    ['shop.yaml', block?.text ?? ''],
    ['routes.yaml', routes],
  ]);
  const loaded = buildRuleSet('docs', files);
  if (loaded.kind === 'problems') throw new Error(formatProblems(loaded.problems));
  return loaded.ruleSet;
}

/** The output of the command for the tests of a block. */
export async function outputOf({ text }: Block, rules: RuleSet): Promise<string> {
  const read = testsIn(parseYaml('rules', 'shop.test.yaml', text), FILE, rules);
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
