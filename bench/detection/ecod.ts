import { median } from '../../shared/statistics/dispersion.ts';
import type { Detector } from './contestant.ts';

/** Values of a slot that its usual value is the median of. */
const SLOT_DEPTH = 8;

/** ECOD has no threshold of its own. At 1, three independent features are each in their outer percent. */
const THRESHOLD = -3 * Math.log(0.01);

/**
 * ECOD (Li et al., 2022) over the last `depth` windows. Its features are logs: the value, its ratio to the usual value
 * of the slot, and its ratio to the previous value. Each has two tail probabilities in its own past. The score is the
 * largest of three sums of their negative logs: of left tails, of right tails, and of the tails that the skew points to.
 */
export function ecod(slots: number, depth: number): Detector {
  const ofSlot: number[][] = Array.from({ length: slots }, () => []);
  const past: number[][] = [[], [], []];
  let previous: number | undefined;
  const featuresOf = (slot: number, log: number): number[] | undefined => {
    const own = ofSlot[slot] ?? [];
    if (previous === undefined || own.length < 2) return undefined;
    return [log, log - median(own), log - previous];
  };
  return {
    score({ slot, value }) {
      const features = value === null ? undefined : featuresOf(slot, logOf(value));
      if (!features || (past[0]?.length ?? 0) < depth / 4) return 0;
      const tails = features.map((feature, i) => tailsOf(past[i] ?? [], feature));
      const sums = (['left', 'right', 'skewed'] as const).map((side) =>
        tails.reduce((sum, tail) => sum - Math.log(tail[side]), 0),
      );
      return Math.max(...sums) / THRESHOLD;
    },
    learn({ slot, value }) {
      if (value === null) return;
      const log = logOf(value);
      for (const [i, feature] of (featuresOf(slot, log) ?? []).entries()) keep(past[i] ?? [], feature, depth);
      keep(ofSlot[slot] ?? [], log, SLOT_DEPTH);
      previous = log;
    },
  };
}

function logOf(value: number): number {
  return Math.log(Math.max(0, value) + 1);
}

function keep(values: number[], value: number, depth: number): void {
  if (values.push(value) > depth) values.shift();
}

/** The shares of values at most and at least as large, the value itself included. */
function tailsOf(values: number[], value: number) {
  const count = values.length + 1;
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
  let [atMost, atLeast, skew] = [1, 1, 0];
  for (const each of values) {
    if (each <= value) atMost++;
    if (each >= value) atLeast++;
    skew += (each - mean) ** 3;
  }
  const [left, right] = [atMost / count, atLeast / count];
  return { left, right, skewed: skew < 0 ? left : right };
}
