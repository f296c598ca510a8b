import { median } from '../../shared/statistics/dispersion.ts';
import { holtWinters } from './brutlag.ts';
import type { Contestant, Detector } from './contestant.ts';
import { ecod } from './ecod.ts';
import { seasonalHybridEsd } from './seasonal-hybrid-esd.ts';
import type { SeriesGrain } from './series.ts';
import { slotMedian } from './slot-median.ts';

/** Windows per week, and windows in the look-back of a rolling statistic. */
const WEEK: Record<SeriesGrain, number> = { hour: 168, day: 7 };
const LOOK_BACK: Record<SeriesGrain, number> = { hour: 168, day: 28 };

/** Weeks that ECOD knows. */
const ECOD_WEEKS: Record<SeriesGrain, number> = { hour: 8, day: 26 };

/** Weeks that S-H-ESD tests. */
const ESD_WEEKS: Record<SeriesGrain, number> = { hour: 8, day: 12 };

/** Each rival follows its public description. A score of 1 is its customary threshold. */
export const RIVALS: Contestant[] = [
  rival('slot median roots', (grain) => slotMedian(grain === 'hour' ? 24 : WEEK.day)),
  rival('S-H-ESD weekly', (grain) => seasonalHybridEsd(WEEK[grain], ESD_WEEKS[grain])),
  // The package's own period for hours is a day. Days have no shorter period than the week.
  rival('S-H-ESD daily', (grain) =>
    grain === 'hour' ? seasonalHybridEsd(24, 28) : seasonalHybridEsd(WEEK.day, ESD_WEEKS.day),
  ),
  rival('S-H-ESD floored', (grain) => seasonalHybridEsd(WEEK[grain], ESD_WEEKS[grain], 1)),
  rival('ECOD', (grain) => ecod(WEEK[grain], ECOD_WEEKS[grain] * WEEK[grain])),
  rival('HW-Brutlag', (grain) => holtWinters(WEEK[grain])),
  rival('rolling z', (grain) => overPast(LOOK_BACK[grain], rollingZ)),
  rival('rolling MAD', (grain) => overPast(LOOK_BACK[grain], rollingMad)),
  rival('percent last week', (grain) => overPast(WEEK[grain], percentScore)),
  rival('percent previous', () => overPast(1, percentScore)),
];

function rival(name: string, detectorFor: (grain: SeriesGrain) => Detector): Contestant {
  return { name, usesAlertState: false, watch: ({ grain }) => detectorFor(grain) };
}

/** The usual rule of thumb is 50 % up or down. A change from zero has no percentage. */
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
  const middle = median(Array.from(values));
  const spread = median(Array.from(values, (each) => Math.abs(each - middle)));
  return scoreOf(0.6745 * Math.abs(value - middle), 3.5 * spread);
}

/** A value at the expected one scores 0, even if the bound is 0. */
function scoreOf(distance: number, bound: number): number {
  return distance === 0 ? 0 : distance / bound;
}

interface Past {
  /** Unordered. */
  values: Float64Array;
  /** The value `values.length` windows ago. */
  oldest: number;
}

/** Scores a value against the last `length` known values. */
function overPast(length: number, score: (past: Past, value: number) => number): Detector {
  const values = new Float64Array(length);
  let seen = 0;
  return {
    score({ value }) {
      if (value === null || seen < length) return 0;
      return score({ values, oldest: values[seen % length] ?? 0 }, value);
    },
    learn({ value }) {
      if (value !== null) values[seen++ % length] = value;
    },
  };
}
