import * as z from 'zod';
import { weeks } from '../text/text-schemas.ts';
import type { Grain } from '../time/window.ts';
import type { Metric } from './metrics.ts';

/** As people write it: one of the two keys. */
export const comparisonSchema = z
  .strictObject({
    to: z.enum(['previous_period', 'same_weekday', 'seasonal']).optional(),
    median_of: weeks.optional(),
  })
  .refine(({ to, median_of }) => (to === undefined) !== (median_of === undefined), {
    error: 'give either "to" or "median_of"',
  });

/** How a window's baseline is made. */
export type Comparison =
  | { to: 'previous_period' }
  | { to: 'same_weekday' }
  /** The median of the same slot in each of so many weeks before. */
  | { to: 'median'; weeks: number }
  /** What the seasonal model expects (`shared/statistics/seasonal.ts`). */
  | { to: 'seasonal' };

export function comparisonOf(given: z.output<typeof comparisonSchema>): Comparison {
  if (given.median_of !== undefined) return { to: 'median', weeks: given.median_of };
  return { to: given.to ?? 'previous_period' };
}

/**
 * The baseline of a rule that names none. Counts by the hour and by the day have the shape of a week, and a median of
 * weeks is calmer than any one of them. Weeks and months have no such shape. A daily mean hardly has one either, and
 * its segments are often young (a new version), so it is held against the day before.
 */
export function defaultComparison(metric: Metric, grain: Grain, isAnomaly: boolean): Comparison {
  if (isAnomaly) return { to: 'seasonal' };
  if (grain === 'week' || grain === 'month') return { to: 'previous_period' };
  if (metric.kind === 'mean' && grain === 'day') return { to: 'previous_period' };
  return { to: 'median', weeks: 4 };
}

/** "the same hour of the week, the median of 4 weeks before": the baseline in words. */
export function comparisonText(comparison: Comparison, grain: Grain): string {
  switch (comparison.to) {
    case 'previous_period':
      return `the ${grain} just before`;
    case 'same_weekday':
      return `the same ${grain} one week before`;
    case 'median':
      return `the median of the same ${grain} in ${comparison.weeks} weeks before`;
    case 'seasonal':
      return `what is usual for this ${grain} of the week`;
  }
}
