import type { FallScale } from './expectation.ts';
import type { Floors } from './seasonal-comparison.ts';
import type { SumShape } from './seasonal-sum.ts';

/** The season of a series and the memory of its model, in windows. A season is a week. */
export interface Seasonality {
  slots: number;
  /** Length of the shorter season that is used until two weeks are known; divides `slots`. */
  subSlots: number;
  /** Windows in the moving average of the level. */
  level: number;
  /** Windows that the spread and the limits are estimated from. */
  memory: number;
  /**
   * Minimum deviation that fires, in standard deviations. Higher for hours than for days, because more windows mean more
   * false alarms, and for rises than for falls, because rises have larger outliers.
   */
  floors: Floors;
  /** All limits are multiplied by this too. */
  factor: number;
  /** Values are cut at this many standard deviations before they are learned. */
  cutAt: number;
  /** On the scale of logs, falls of hours had more false alarms. */
  falls: FallScale;
  /** Sums over several windows, which are evaluated beside the last window. */
  sums: SumShape[];
}

/** Rises of several hours are bursts in most series, and a burst is no news in each hour after it. */
const NO_RISE: [number, number] = [Infinity, Infinity];
const HOURS = {
  ...{ level: 336, fall: [4.5, 12], rise: NO_RISE },
  ...{ inflation: 8, part: 1, hasOwnSpread: true },
} satisfies Omit<SumShape, 'windows'>;
const DAYS = {
  ...{ level: 28, fall: [3.5, 8], rise: [3.5, 8] },
  ...{ inflation: 1, part: 0.55, hasOwnSpread: false },
} satisfies Omit<SumShape, 'windows'>;

export const HOURLY: Seasonality = {
  ...{ slots: 168, subSlots: 24, level: 168, memory: 8 * 168 },
  floors: { fall: [5, 7], rise: [7, 7] },
  factor: 1.1,
  cutAt: 5,
  falls: 'roots',
  sums: [
    { ...HOURS, windows: 3 },
    { ...HOURS, windows: 6 },
    { ...HOURS, windows: 24 },
  ],
};
export const DAILY: Seasonality = {
  ...{ slots: 7, subSlots: 7, level: 28, memory: 8 * 7 },
  floors: { fall: [3.75, 4], rise: [3.75, 4] },
  factor: 1,
  cutAt: 4,
  falls: 'logs',
  sums: [
    { ...DAYS, windows: 3 },
    { ...DAYS, windows: 7 },
  ],
};

export const SENSITIVITIES = ['low', 'normal', 'high'] as const;
export type Sensitivity = (typeof SENSITIVITIES)[number];

/** All limits are multiplied by this. The figures of each are in `docs/reference/rules.md`. */
export const LIMIT_FACTORS: Record<Sensitivity, number> = { low: 1.25, normal: 1, high: 0.8 };
