import type { CoverageData, MutantCoverage } from '@stryker-mutator/api/core';
import type { TestResult } from '@stryker-mutator/api/test-runner';

/** A request of the Stryker process to the worker that keeps modules loaded. */
export type Order =
  | { kind: 'all' }
  | {
      kind: 'mutant';
      id: string;
      source: string;
      /** The tests that cover the mutant; null means all. */
      tests: string[] | null;
      /** Whether the mutant runs while modules load, so that they must load again. */
      isStatic: boolean;
      hitLimit: number | null;
    };

export interface Answer {
  tests: TestResult[];
  coverage: MutantCoverage | null;
  hits: number;
}

export const [ORDERS, ANSWERS] = ['mutants-orders', 'mutants-answers'];

/** The global object that the instrumented code of Stryker reads. */
export interface Switch {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  mutantCoverage?: { static: CoverageData; perTest: Record<string, CoverageData> };
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
}
