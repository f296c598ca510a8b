import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readRules } from '../../../cli/options/read-rules.ts';
import { systemClock } from '../../../shared/runtime/clock.ts';
import { testFilesIn } from '../../../workbench/rule-tests/read-tests.ts';
import { type TestResult, testRules } from '../../../workbench/rule-tests/test-rules.ts';
import { deltawatch, type Folder, RULES, temporaryFolder } from '../../fixtures/deltawatch.ts';

let folder: Folder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

test('the tests of the demo rules pass, and each rule file has tests', async () => {
  const files = await testFilesIn([RULES]);
  const failed: string[] = [];
  const tested = new Set<string>();
  const run = { files, rulesIn: readRules, dir: undefined, only: undefined, clock: systemClock };
  for await (const { place, outcome, failures, file } of testRules(run)) {
    tested.add(file);
    if (outcome !== 'passed') failed.push(place, ...failures);
  }
  expect(failed).toEqual([]);
  const names = ['checkout', 'events-by-country', 'growth'];
  expect([...tested]).toEqual(names.map((name) => join(RULES, `${name}.test.yaml`)));
});

const A_TEST = `
tests:
  - name: half as many fire
    starts: 2026-01-05
    series: [{ event: purchase, values: 1000*14 500 }]
    alerts: [{ fired: purchases }]
  - name: a third fewer fire
    starts: 2026-01-05
    series: [{ event: purchase, values: 1000*14 670 }]
    alerts: [{ fired: purchases }]
`;

async function rulesWithTests(): Promise<void> {
  await mkdir(join(folder.path, 'rules'));
  for (const name of ['checkout.yaml', 'routes.yaml'])
    await copyFile(join(RULES, name), join(folder.path, 'rules', name));
  await writeFile(join(folder.path, 'rules', 'a.test.yaml'), A_TEST);
}

test('a failing test exits with 1 and says why; --run selects tests', async () => {
  await rulesWithTests();
  const all = await deltawatch(['test'], folder.path);
  expect(all).toMatchObject({ code: 1, stderr: '' });
  expect(all.stdout).toMatch(/^rules\/a\.test\.yaml\n {2}ok {4}half as many fire \(\d+ ms\)\n {2}FAIL /);
  expect(all.stdout).toContain('FAILED threshold: 670 compared with 1,000 (-33%) does not cross');
  expect(all.stdout).toMatch(/\n1 passed, 1 failed\n$/);
  expect(all.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);

  await rename(join(folder.path, 'rules'), join(folder.path, 'mine'));
  const one = await deltawatch(['test', '--rules', 'mine', '--run', 'HALF', '--json'], folder.path);
  expect(one.code).toBe(0);
  expect(JSON.parse(one.stdout)).toMatchObject({
    ...{ passed: 1, failed: 0 },
    tests: [{ place: 'mine/a.test.yaml:3', name: 'half as many fire', outcome: 'passed', failures: [] }],
  });
});

test('test fails if there is no folder or no test matches', async () => {
  const none = await deltawatch(['test'], folder.path);
  expect(none).toMatchObject({ code: 1, stderr: 'error: rules: there is no such file or folder\n' });
  await rulesWithTests();
  const unnamed = await deltawatch(['test', '--run', 'nothing'], folder.path);
  expect(unnamed).toMatchObject({
    code: 1,
    stderr: 'error: no test in rules has a name that matches /nothing/i\n',
  });
});

test('an invalid test or file fails with its problems, and the others run', async () => {
  await rulesWithTests();
  const wrong = 'tests:\n  - name: half\n    start: 2026-01-05\n    series: []\n    quiet: true\n';
  await writeFile(join(folder.path, 'rules', 'b.test.yaml'), wrong);
  await writeFile(join(folder.path, 'rules', 'c.test.yaml'), 'tests: []\nmore: 1\n');
  const files = await testFilesIn([join(folder.path, 'rules')]);
  const run = { files, rulesIn: readRules, dir: undefined, only: /half/, clock: systemClock };
  const results: TestResult[] = [];
  for await (const result of testRules(run)) results.push(result);
  expect(results.map(({ outcome, name }) => [outcome, name])).toEqual([
    ['passed', 'half as many fire'],
    ['wrong', 'half'],
    ['wrong', '2 problems in the file'],
  ]);
  const why = results[1]?.failures.join(' ').replaceAll(/ +/g, ' ');
  expect(why).toContain('b.test.yaml:3:5 unknown key "start"; did you mean "starts"?');
});
