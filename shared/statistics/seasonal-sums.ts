import type { Expectation } from './expectation.ts';
import { SeasonalSum, type SumDeviation, type SumOptions, type SumShape } from './seasonal-sum.ts';
import type { Passed } from './sliding-total.ts';

/** What is expected of each sum that ends with the next window; `undefined` if too little is known. */
export type SumExpectations = readonly (Expectation | undefined)[];

/** The sums of a series over several spans. */
export class SeasonalSums {
  readonly #sums: readonly SeasonalSum[];

  constructor(shapes: readonly SumShape[], options: SumOptions) {
    this.#sums = shapes.map((shape) => new SeasonalSum(shape, options));
  }

  /** `share`: of the next window. `carry`: the correlation of neighbouring windows. */
  expect(share: number, window: Pick<Expectation, 'variance' | 'grain'>, carry: number): SumExpectations {
    return this.#sums.map((sum) => sum.expect(share, window, carry));
  }

  /** The known sums that end with a window of this value. */
  deviationsOf(value: number, expectations: SumExpectations): SumDeviation[] {
    return this.#sums.flatMap((sum, i) => {
      const expectation = expectations[i];
      return (expectation && sum.deviationOf(value, expectation)) ?? [];
    });
  }

  /** Whether the same relative change in all windows of a sum would reach its limit. */
  canDetect(ratio: number, expectations: SumExpectations): boolean {
    return this.#sums.some((sum, i) => {
      const expectation = expectations[i];
      return expectation !== undefined && sum.canDetect(ratio, expectation);
    });
  }

  learn(next: Passed, expectations: SumExpectations, isOpen: boolean): void {
    for (const [i, sum] of this.#sums.entries()) sum.learn(next, expectations[i], isOpen);
  }
}
