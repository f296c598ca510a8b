import { median } from '../../shared/statistics/dispersion.ts';
import type { Detector } from './contestant.ts';

/** Values per slot: four weeks of an hour of the day. */
const DEPTH = 28;
const MINIMUM_VALUES = 2;

/** The threshold for the modified z of Iglewicz and Hoaglin (1993), and the scale of the MAD. */
const THRESHOLD = 3.5;
const MAD_TO_SIGMA = 1.4826;

/** The standard deviation of the root of a Poisson count. Keeps the spread of a flat slot above 0. */
const MINIMUM_SPREAD = 0.5;

/** The distance of the value's root from the median of its slot, in median absolute deviations. */
export function slotMedian(slots: number): Detector {
  const past: number[][] = Array.from({ length: slots }, () => []);
  return {
    score({ slot, value }) {
      const own = past[slot % slots] ?? [];
      if (value === null || own.length < MINIMUM_VALUES) return 0;
      const middle = median(own);
      const spread = MAD_TO_SIGMA * median(own.map((each) => Math.abs(each - middle)));
      return Math.abs(rootOf(value) - middle) / Math.max(spread, MINIMUM_SPREAD) / THRESHOLD;
    },
    learn({ slot, value }) {
      const own = past[slot % slots];
      if (value === null || !own) return;
      own.push(rootOf(value));
      if (own.length > DEPTH) own.shift();
    },
  };
}

/** The transformation of Anscombe (1948), after which the variance of a Poisson count is constant. */
function rootOf(value: number): number {
  return Math.sqrt(Math.max(0, value) + 3 / 8);
}
