import { dirname } from 'node:path';
import { counted } from '../../local/terminal.ts';
import { formatProblems, type Problem } from '../../shared/adapters/rule-files/file-problems.ts';
import type { RuleSet } from '../../shared/alerting/deployments/rule-store.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { failuresOf } from './evaluate-test.ts';
import { type ReadTest, readTestFile } from './read-tests.ts';
import { runTest } from './run-test.ts';

/**
 * How a test went, as `deltawatch test --json` prints it; `wrong` is a test that cannot run, or a file that cannot be
 * read as tests. `failures` are lines for people, none where it passed.
 */
export interface TestResult {
  file: string;
  /** `rules/checkout.test.yaml:12`. */
  place: string;
  name: string;
  outcome: 'passed' | 'failed' | 'wrong';
  milliseconds: number;
  failures: string[];
}

export interface TestRun {
  files: string[];
  /** The rules that lie in a folder. */
  rulesIn: (dir: string) => Promise<RuleSet>;
  /** Of which folder; by default each file is of the one that it lies in. */
  dir: string | undefined;
  /** Of which tests, by their names; all without it. */
  only: RegExp | undefined;
  /** By which times are taken. */
  clock: Clock;
}

/** Runs the tests of these files in order. A test that is wrong fails by itself; a file that is, as one test. */
export async function* testRules({ files, rulesIn, dir, only, clock }: TestRun): AsyncGenerator<TestResult> {
  for (const file of files) {
    const ruleSet = await rulesIn(dir ?? dirname(file));
    const read = await readTestFile(file, ruleSet);
    if (read.kind === 'problems') {
      yield wrongFile(file, read.problems);
      continue;
    }
    for (const each of read.tests)
      if (!only || only.test(each.kind === 'bound' ? each.test.name : each.name))
        yield await resultOf(each, file, clock);
  }
}

async function resultOf(read: ReadTest, file: string, clock: Clock): Promise<TestResult> {
  if (read.kind === 'wrong') {
    const { name, place, problems } = read;
    return { file, place, name, outcome: 'wrong', milliseconds: 0, failures: linesOf(problems) };
  }
  const { name, place } = read.test;
  const beganAt = clock.now();
  const failures = failuresOf(read.test, await runTest(read.test));
  const milliseconds = clock.now() - beganAt;
  const outcome = failures.length === 0 ? 'passed' : 'failed';
  return { file, place, name, outcome, milliseconds, failures };
}

function wrongFile(file: string, problems: Problem[]): TestResult {
  const name = `${counted(problems.length, 'problem')} in the file`;
  return { file, place: file, name, outcome: 'wrong', milliseconds: 0, failures: linesOf(problems) };
}

function linesOf(problems: Problem[]): string[] {
  return formatProblems(problems).split('\n');
}
