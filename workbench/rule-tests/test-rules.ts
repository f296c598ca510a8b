import { dirname } from 'node:path';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { formatProblems, type Problem } from '../../shared/rule-files/file-problems.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { counted } from '../../shared/text/counted.ts';
import { failuresOf } from './evaluate-test.ts';
import { type ReadTest, type ReadTests, readTestFile } from './read-tests.ts';
import { runTest } from './run-test.ts';

/** As `deltawatch test --json` prints it. `wrong`: an invalid test or file. `failures`: lines of text. */
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
  /** Loads the rules of a folder. */
  rulesIn: (dir: string) => Promise<RuleSet>;
  /** Folder of the rules; by default the folder of each file. */
  dir: string | undefined;
  /** Selects tests by name; default: all. */
  only: RegExp | undefined;
  /** Measures durations. */
  clock: Clock;
}

/** Runs the tests of these files in order. An invalid test fails alone; an invalid file fails as one test. */
export async function* testRules({ files, rulesIn, dir, ...run }: TestRun): AsyncGenerator<TestResult> {
  for (const file of files)
    yield* resultsOf(await readTestFile(file, await rulesIn(dir ?? dirname(file))), { file, ...run });
}

/** The same for the tests of one file, which are read. */
export async function* resultsOf(
  read: ReadTests,
  { file, only, clock }: Pick<TestRun, 'only' | 'clock'> & { file: string },
): AsyncGenerator<TestResult> {
  if (read.kind === 'problems') {
    const name = `${counted(read.problems.length, 'problem')} in the file`;
    yield wrongTest({ file, place: file, name }, read.problems);
    return;
  }
  for (const each of read.tests)
    if (!only || only.test(each.kind === 'bound' ? each.test.name : each.name))
      yield await resultOf(each, file, clock);
}

async function resultOf(read: ReadTest, file: string, clock: Clock): Promise<TestResult> {
  if (read.kind === 'wrong') {
    const { name, place, problems } = read;
    return wrongTest({ file, place, name }, problems);
  }
  const { name, place } = read.test;
  const beganAt = clock.now();
  const failures = failuresOf(read.test, await runTest(read.test));
  const milliseconds = clock.now() - beganAt;
  const outcome = failures.length === 0 ? 'passed' : 'failed';
  return { file, place, name, outcome, milliseconds, failures };
}

function wrongTest(test: Pick<TestResult, 'file' | 'place' | 'name'>, problems: Problem[]): TestResult {
  return { ...test, outcome: 'wrong', milliseconds: 0, failures: formatProblems(problems).split('\n') };
}
