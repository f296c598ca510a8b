import { InvalidArgumentError } from 'commander';
import { bad, good } from '../../local/colour.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { lazyBy } from '../../shared/units/lazy.ts';
import { testFilesIn } from '../../workbench/rule-tests/read-tests.ts';
import { type TestResult, testRules } from '../../workbench/rule-tests/test-rules.ts';
import { type ProjectOptions, pathIn } from '../options/project.ts';
import { readRules } from '../options/read-rules.ts';
import { Command } from '../terminal/command.ts';
import { wrapped } from '../terminal/wrapping.ts';

interface Options extends ProjectOptions {
  rules?: string;
  run?: RegExp;
  json?: true;
}

/**
 * `deltawatch test`: runs rules on invented figures and compares their notifications with the expected ones.
 * Exit code 1 for a failed test, an invalid test file, and no tests. `--json` prints `{passed, failed,
 * tests}`, each test a `TestResult`.
 */
export function testCommand(): Command {
  return new Command('test')
    .description('Run the tests of the rules, in *.test.yaml files')
    .argument(
      '[paths...]',
      'Test files, or folders with test files; default: the folder given by --rules, or rules',
    )
    .option('--rules <dir>', 'Folder of the rules to test; default: the folder of each test file')
    .option('--run <regex>', 'Only run tests whose name matches', pattern)
    .option('--json', 'Print one JSON document')
    .example('test', 'All tests in rules/')
    .example('test rules/checkout.test.yaml', 'The tests of one file')
    .example("test --run 'purchases.*Sunday'", 'Tests with a matching name')
    .action(async (given: string[], { rules: dir, run: only, json, project }: Options) => {
      const paths = given.length > 0 ? given : [dir ?? pathIn(project, project?.config.rules ?? 'rules')];
      const files = await testFilesIn(paths);
      const results: TestResult[] = [];
      const run = { files, rulesIn: lazyBy(readRules), dir, only, clock: systemClock };
      for await (const result of testRules(run)) {
        if (!json) console.log(resultLines(result, results.at(-1)).join('\n'));
        results.push(result);
      }
      if (results.length === 0) throw new ConfigError(nothingToRun(paths, files, only));
      const passed = results.filter(({ outcome }) => outcome === 'passed').length;
      const failed = results.length - passed;
      if (json) console.log(JSON.stringify({ passed, failed, tests: results }, null, 2));
      else console.log(`\n${summaryLine(passed, failed)}`);
      if (failed > 0) process.exitCode = 1;
    });
}

function pattern(text: string): RegExp {
  try {
    return new RegExp(text, 'i');
  } catch {
    throw new InvalidArgumentError('Use a regular expression such as purchases or "purchases.*Sunday".');
  }
}

function nothingToRun(paths: string[], files: string[], only: RegExp | undefined): string {
  const where = paths.join(', ');
  if (files.length === 0)
    return `no tests in ${where}: test files are next to the rules, and their names end with .test.yaml`;
  return `no test in ${where} has a name that matches ${only}`;
}

/** A test with the reasons for its failure. The first test of a file has the file's name above. */
export function resultLines(result: TestResult, before: TestResult | undefined): string[] {
  const { file, place, name, outcome, milliseconds, failures } = result;
  const apart = before && before.outcome !== 'passed' ? [''] : [];
  const head = [...apart, ...(file === before?.file ? [] : [file])];
  switch (outcome) {
    case 'passed':
      return [...head, ...wrapped(`  ${good('ok')}    ${name} (${milliseconds} ms)`, 6)];
    case 'wrong':
      return [...head, ...wrapped(`  ${bad('FAIL')}  ${name}`, 6), '', ...failures];
    case 'failed': {
      const why = failures.flatMap((line) => (line === '' ? [''] : wrapped(`    ${line}`)));
      return [...head, ...wrapped(`  ${bad('FAIL')}  ${name} (${place})`, 6), ...why];
    }
  }
}

/** "3 passed, 1 failed". */
export function summaryLine(passed: number, failed: number): string {
  const failures = `${failed} failed`;
  return `${good(`${passed} passed`)}, ${failed > 0 ? bad(failures) : failures}`;
}
