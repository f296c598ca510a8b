import { median } from '../../shared/statistics/dispersion.ts';
import { tailOfStudent } from '../../shared/statistics/past-tail.ts';
import type { Detector } from './contestant.ts';

/** Seasons that the decomposition needs. */
const MINIMUM_SEASONS = 2;

/** The defaults of Twitter's package. */
const ALPHA = 0.05;
const MAXIMUM_ANOMALIES = 0.49;

const MAD_TO_SIGMA = 1.4826;

/**
 * Seasonal hybrid ESD (Hochenbaum, Vallis and Kejariwal, 2017) over the last `seasons` seasons of `slots` windows, up to
 * the current window. The season is the median of each slot. The spread is at least
 * `floor`, because the median deviation of a sparse series is 0.
 */
export function seasonalHybridEsd(slots: number, seasons: number, floor = 0): Detector {
  const past: number[][] = Array.from({ length: slots }, () => []);
  /** Computed when a score needs them. */
  const residuals: (number[] | undefined)[] = Array.from({ length: slots });
  let seen = 0;
  return {
    score({ slot, value }) {
      if (value === null || seen < MINIMUM_SEASONS * slots) return 0;
      const own = residualsOf([value, ...(past[slot % slots] ?? []).slice(1 - seasons)]);
      for (const [i, values] of past.entries()) residuals[i] ??= residualsOf(values);
      return esdScore(
        residuals.with(slot % slots, own).flatMap((each) => each ?? []),
        own[0] ?? 0,
        floor,
      );
    },
    learn({ slot, value }) {
      const values = past[slot % slots];
      if (value === null || !values) return;
      seen++;
      values.push(value);
      if (values.length > seasons) values.shift();
      residuals[slot % slots] = undefined;
    },
  };
}

function residualsOf(values: number[]): number[] {
  const season = median(values);
  return values.map((value) => value - season);
}

/**
 * The generalized ESD test of Rosner (1983) with median and MAD. It removes the most extreme value at each step. The
 * score is the test statistic over the critical value at the step that removes `own`, or 0 if no step does.
 */
export function esdScore(values: readonly number[], own: number, floor = 0): number {
  const sorted = new Float64Array(values).sort();
  const steps = Math.floor(MAXIMUM_ANOMALIES * sorted.length);
  let [low, high] = [0, sorted.length - 1];
  for (let step = 1; step <= steps; step++) {
    const middle = ((sorted[(low + high) >> 1] ?? 0) + (sorted[(low + high + 1) >> 1] ?? 0)) / 2;
    const [least = 0, most = 0] = [sorted[low], sorted[high]];
    const isLow = middle - least > most - middle;
    if (own === (isLow ? least : most)) {
      const distances = Array.from(sorted.subarray(low, high + 1), (each) => Math.abs(each - middle));
      const spread = Math.max(floor, MAD_TO_SIGMA * median(distances));
      return spread === 0 ? 0 : Math.abs(own - middle) / spread / criticalValue(sorted.length - step);
    }
    if (isLow) low++;
    else high--;
  }
  return 0;
}

const CRITICAL_VALUES: number[] = [];

/** Of the step that leaves `left` values. */
export function criticalValue(left: number): number {
  const known = CRITICAL_VALUES[left];
  if (known !== undefined) return known;
  const t = tQuantile(ALPHA / (2 * (left + 1)), left - 1);
  const value = (left * t) / Math.sqrt((left - 1 + t * t) * (left + 1));
  CRITICAL_VALUES[left] = value;
  return value;
}

/** The value that Student's t exceeds with probability `tail`. */
function tQuantile(tail: number, freedom: number): number {
  const pOf = tailOfStudent(freedom);
  let [low, high] = [0, 1];
  while (pOf(high) / 2 > tail) high *= 2;
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (pOf(middle) / 2 > tail) low = middle;
    else high = middle;
  }
  return high;
}
