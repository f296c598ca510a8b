import { readFileSync } from 'node:fs';
import { type TestResult, TestStatus } from '@stryker-mutator/api/test-runner';
import type { File, Task, Test } from '@vitest/runner';
import { beforeAll, test, vi } from 'vitest';
import { ANSWERS, type Answer, ORDERS, type Order, type Switch } from './orders.ts';
import QuietRunner from './quiet-runner.ts';
import { keepTimings, quickestFirst, testFiles } from './related-tests.ts';

const mutation: Switch = {};
Reflect.set(globalThis, '__stryker__', mutation);

const idOf = (each: Test): string => {
  const names: string[] = [];
  for (let task: Task | undefined = each; task; task = task.suite) names.unshift(task.name);
  return `${each.file.filepath}#${names.join(' ')}`;
};

async function runFile(file: string, isWanted: (id: string) => boolean): Promise<TestResult[]> {
  const ran = await QuietRunner.run(file, {
    isWanted: (each) => isWanted(idOf(each)),
    begins: (each) => {
      mutation.currentTestId = idOf(each);
    },
  });
  mutation.currentTestId = undefined;
  return resultsOf(ran);
}

function resultsOf(file: File): TestResult[] {
  const results = testsOf(file).flatMap((each): TestResult[] => {
    const base = {
      id: idOf(each),
      name: idOf(each),
      timeSpentMs: each.result?.duration ?? 0,
      fileName: file.filepath,
    };
    const state = each.result?.state;
    if (state === 'pass') return [{ ...base, status: TestStatus.Success }];
    if (state !== 'fail') return [];
    return [{ ...base, status: TestStatus.Failed, failureMessage: each.result?.errors?.[0]?.message ?? '' }];
  });
  const hasFailed = file.result?.state === 'fail';
  if (!hasFailed || results.some(({ status }) => status === TestStatus.Failed)) return results;
  const base = { id: file.filepath, name: file.filepath, timeSpentMs: 0, fileName: file.filepath };
  const failureMessage = file.result?.errors?.[0]?.message ?? 'the file failed';
  return [...results, { ...base, status: TestStatus.Failed, failureMessage }];
}

const testsOf = (task: Task): Test[] =>
  task.type === 'test' ? [task] : task.tasks.flatMap((each) => testsOf(each));

async function runAll(): Promise<Answer> {
  const tests: TestResult[] = [];
  for (const file of testFiles()) tests.push(...(await runFile(file, () => true)));
  keepTimings(tests);
  return { tests, coverage: mutation.mutantCoverage ?? null, hits: 0 };
}

/** Matches a map at the top level of a module. */
const KEEPING = /^const \w+ = new (Weak)?Map/m;

type MutantOrder = Extract<Order, { kind: 'mutant' }>;

/**
 * A failure counts only if the same test passes without the mutant, because an earlier mutant can leave values in a
 * cache. In a file with a module-level map, a survivor runs again on newly loaded modules.
 */
async function runMutant(order: MutantOrder): Promise<Answer> {
  const first = await attempt(order);
  if (order.isStatic) return first;
  const failed = failureAmong(first.tests);
  if (failed) {
    const isSame = (id: string) => id === failed.id || failed.id === failed.fileName;
    const again = await runFile(failed.fileName ?? '', isSame);
    if (!failureAmong(again)) return first;
  } else if (!KEEPING.test(readFileSync(order.source, 'utf8'))) return first;
  return attempt({ ...order, isStatic: true });
}

async function attempt({ id, tests, isStatic, hitLimit }: MutantOrder): Promise<Answer> {
  const wanted = tests && new Set(tests);
  const results: TestResult[] = [];
  if (isStatic) vi.resetModules();
  Object.assign(mutation, { activeMutant: id, hitCount: 0, hitLimit: hitLimit ?? undefined });
  for (const file of quickestFirst(tests)) {
    results.push(...(await runFile(file, (each) => wanted?.has(each) ?? true)));
    if (failureAmong(results)) break;
  }
  const hits = mutation.hitCount ?? 0;
  Object.assign(mutation, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
  if (isStatic) vi.resetModules();
  return { tests: results, coverage: null, hits };
}

const failureAmong = (results: readonly TestResult[]) =>
  results.find(({ status }) => status === TestStatus.Failed);

// Not in a test, because tests cannot start within a test.
beforeAll(async () => {
  const [orders, answers] = [new BroadcastChannel(ORDERS), new BroadcastChannel(ANSWERS)];
  await new Promise<void>((_, reject) => {
    orders.onmessage = ({ data }: { data: Order }) => {
      const answer = data.kind === 'all' ? runAll() : runMutant(data);
      answer.then((each) => answers.postMessage(each), reject);
    };
    answers.postMessage('ready');
  });
}, 0);

test('serves the process of Stryker until it ends', () => {});
