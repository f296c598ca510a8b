import { loadRules } from '../shared/rule-files/yaml-rule-files.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { testFilesIn } from './rule-tests/read-tests.ts';
import { type TestResult, testRules } from './rule-tests/test-rules.ts';

// The module `deltawatch/testing` of the package.

export type { TestResult };

/**
 * Runs the tests `*.test.yaml` in these files and folders, as `deltawatch test` does. `rules` is the folder of the
 * rules; by default it is the folder of each test file. Throws `ConfigError` for a path that does not exist, and for
 * invalid rules.
 */
export async function runRuleTests(
  paths: string[] = ['rules'],
  { rules }: { rules?: string } = {},
): Promise<TestResult[]> {
  const files = await testFilesIn(paths);
  const run = { files, rulesIn: loadRules, dir: rules, only: undefined, clock: systemClock };
  return Array.fromAsync(testRules(run));
}
