import { median } from '../../shared/statistics/dispersion.ts';
import type { Contestant, Detector } from './contestant.ts';
import type { SeriesGrain } from './series.ts';

/** Windows of a week, and the windows that a rolling measure looks back on. */
const WEEK: Record<SeriesGrain, number> = { hour: 168, day: 7 };
const LOOK_BACK: Record<SeriesGrain, number> = { hour: 168, day: 28 };

/** Each as its public description says, with the threshold that is customary as 1. */
export const RIVALS: Contestant[] = [
  { name: 'percent vs previous', watch: () => overPast(1, percentScore) },
  {
    name: 'percent vs last week',
    watch: ({ grain }) => overPast(WEEK[grain], percentScore),
  },
  { name: 'rolling z', watch: ({ grain }) => overPast(LOOK_BACK[grain], rollingZ) },
  { name: 'rolling MAD', watch: ({ grain }) => overPast(LOOK_BACK[grain], rollingMad) },
  { name: 'Holt-Winters', watch: ({ grain }) => holtWinters(WEEK[grain]) },
];

/** More than half up or down is the usual rule of thumb; from zero there is no percentage. */
function percentScore({ oldest }: Past, value: number): number {
  return oldest === 0 ? 0 : Math.abs(value - oldest) / (0.5 * oldest);
}

/** Three standard deviations from the mean of the look-back. */
function rollingZ({ values }: Past, value: number): number {
  let [sum, squares] = [0, 0];
  for (const each of values) {
    sum += each;
    squares += each * each;
  }
  const mean = sum / values.length;
  const spread = Math.sqrt(Math.max(0, squares / values.length - mean * mean));
  return scoreOf(Math.abs(value - mean), 3 * spread);
}

/** The modified z of Iglewicz and Hoaglin (1993), over 3.5. */
function rollingMad({ values }: Past, value: number): number {
  const middle = median([...values]);
  const spread = median(Array.from(values, (each) => Math.abs(each - middle)));
  return scoreOf(0.6745 * Math.abs(value - middle), 3.5 * spread);
}

/** Nothing is unusual about what is no distance away, however narrow the bounds. */
function scoreOf(distance: number, bound: number): number {
  return distance === 0 ? 0 : distance / bound;
}

interface Past {
  /** In no order. */
  values: Float64Array;
  /** The value as many windows ago as there are values. */
  oldest: number;
}

/** Scores by the last `length` known values. */
function overPast(length: number, score: (past: Past, value: number) => number): Detector {
  const values = new Float64Array(length);
  let seen = 0;
  return {
    step({ value }) {
      if (value === null) return 0;
      const place = seen % length;
      const result = seen < length ? 0 : score({ values, oldest: values[place] ?? 0 }, value);
      values[place] = value;
      seen++;
      return result;
    },
  };
}

/** The smoothing of RRDtool's documentation, for level and season, and for a trend over months. */
const SMOOTHING = 0.1;
const TREND_SMOOTHING = 0.0035;

/** Brutlag (LISA 2000) finds bounds of two to three deviations sensible. */
const DELTA = 3;

/** Additive triple exponential smoothing with a smoothed deviation for each slot, as in Brutlag (LISA 2000). */
function holtWinters(slots: number): Detector {
  const season = new Float64Array(slots);
  const deviation = new Float64Array(slots);
  let [level, trend, seen] = [0, 0, 0];
  return {
    step({ slot, value }) {
      if (value === null) return 0;
      if (seen++ < slots) {
        // The first season is its own measure.
        level += (value - level) / seen;
        season[slot] = value;
        if (seen === slots) for (const [i, each] of season.entries()) season[i] = each - level;
        return 0;
      }
      const [usual, spread] = [season[slot] ?? 0, deviation[slot] ?? 0];
      const error = Math.abs(value - (level + trend + usual));
      const before = level;
      level = SMOOTHING * (value - usual) + (1 - SMOOTHING) * (level + trend);
      trend = TREND_SMOOTHING * (level - before) + (1 - TREND_SMOOTHING) * trend;
      season[slot] = SMOOTHING * (value - level) + (1 - SMOOTHING) * usual;
      // The first error of a slot is all that is known of its deviation.
      deviation[slot] = seen <= 2 * slots ? error : SMOOTHING * error + (1 - SMOOTHING) * spread;
      return seen <= 2 * slots ? 0 : scoreOf(error, DELTA * spread);
    },
  };
}
