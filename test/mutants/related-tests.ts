import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';

/** Tests in one process: a mutant is not active in another one. */
const TESTS = [
  'test/{shared,functions,contracts,golden}/**/*.test.ts',
  'test/docs/{lint,examples,rule-reference,routes,channels}.test.ts',
  'test/workbench/backtest/{compare,report}.test.ts',
  'test/workbench/{explain,live-check,preview}/*.test.ts',
  'test/workbench/rule-tests/wrong-tests.test.ts',
  'test/long/functions/data-access/{answers/hours,tables/*}.test.ts',
];

export const testFiles = (): string[] => globSync(TESTS).map((file) => resolve(file));

/** The durations of the first run of all tests, in milliseconds by id. */
const TIMINGS = 'timings-of-tests.json';
const Timings = z.record(z.string(), z.number());

export function keepTimings(tests: readonly { id: string; timeSpentMs: number }[]): void {
  const timings = Object.fromEntries(tests.map(({ id, timeSpentMs }) => [id, timeSpentMs]));
  writeFileSync(TIMINGS, JSON.stringify(timings));
}

/** The files of these tests, or of all, fastest first, because a run ends at its first failure. */
export function quickestFirst(tests: readonly string[] | null): string[] {
  const timings = Timings.parse(JSON.parse(readFileSync(TIMINGS, 'utf8')));
  const timeOf = new Map<string, number>();
  for (const id of tests ?? Object.keys(timings)) {
    const [file = ''] = id.split('#');
    timeOf.set(file, (timeOf.get(file) ?? 0) + (timings[id] ?? 0));
  }
  return [...timeOf].toSorted(([, a], [, b]) => a - b).map(([file]) => file);
}
