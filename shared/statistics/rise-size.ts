import type { Expectation } from './expectation.ts';
import { LEAST_SPREAD } from './seasonal-spread.ts';
import { SlidingQuantile } from './sliding-quantile.ts';

/** The scale is this quantile of absolute deviations, divided by that of the standard normal distribution. */
const QUANTILE = 0.9;
const QUANTILE_IN_SIGMA = 1.645;

/** Minimum deviations before the scale is known. */
const MINIMUM = 24;

/** The unit is at least this part of the spread in the slot, so that a daily peak is not measured by quiet hours. */
const PART_OF_SPREAD = 0.6;

/**
 * The size of a rise in the unit of the series, relative to its deviations of the last weeks. A series with quiet nights
 * and wide relative spread has rises that are large by this measure alone.
 */
export class RiseSize {
  readonly #deviations: SlidingQuantile;

  constructor({ memory }: { memory: number }) {
    this.#deviations = new SlidingQuantile(memory, QUANTILE);
  }

  learn(value: number, expected: number): void {
    this.#deviations.push(Math.abs(value - expected));
  }

  /** One unit of the scale, at least the spread by chance; `undefined` if too little is known. */
  unitAt({ expected, variance, grain }: Expectation): number | undefined {
    if (this.#deviations.size < MINIMUM) return undefined;
    const chance = Math.sqrt((expected + grain) * grain);
    const spread = Math.max(LEAST_SPREAD, PART_OF_SPREAD * Math.sqrt(variance.rise)) * expected;
    return Math.max(this.#deviations.value / QUANTILE_IN_SIGMA, chance, spread);
  }
}
