import type { Floors } from './seasonal-comparison.ts';

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
  /** Values are cut at this many standard deviations before they are learned. */
  cutAt: number;
}

export const HOURLY: Seasonality = {
  ...{ slots: 168, subSlots: 24, level: 168, memory: 8 * 168 },
  floors: { fall: [5, 7], rise: [7, 7] },
  cutAt: 5,
};
export const DAILY: Seasonality = {
  ...{ slots: 7, subSlots: 7, level: 28, memory: 8 * 7 },
  floors: { fall: [4, 4], rise: [4, 4] },
  cutAt: 4,
};
