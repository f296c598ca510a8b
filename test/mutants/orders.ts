import type { CoverageData, MutantCoverage } from '@stryker-mutator/api/core';
import type { TestResult } from '@stryker-mutator/api/test-runner';

/** What the process of Stryker asks of the worker that keeps modules loaded. */
export type Order =
  | { kind: 'all' }
  | {
      kind: 'mutant';
      id: string;
      source: string;
      /** The tests that reach it; all without them. */
      tests: string[] | null;
      /** Whether it is reached while modules load, which then must load again. */
      isStatic: boolean;
      hitLimit: number | null;
    };

export interface Answer {
  tests: TestResult[];
  coverage: MutantCoverage | null;
  hits: number;
}

export const [ORDERS, ANSWERS] = ['mutants-orders', 'mutants-answers'];

/** What the code that Stryker writes looks at, under this name of the global object. */
export interface Switch {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  mutantCoverage?: { static: CoverageData; perTest: Record<string, CoverageData> };
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
}
