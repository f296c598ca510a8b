import * as z from 'zod';
import { weeks } from '../text/text-schemas.ts';
import type { Grain } from '../time/window.ts';
import { type Bounds, isLevel } from './bounds.ts';
import { type SegmentRule, versionPlace } from './group-by.ts';
import type { Metric } from './metric.ts';

/** The key `compare` of a rule file. */
export const comparisonSchema = z
  .strictObject({
    to: z
      .enum(['previous_period', 'same_weekday', 'seasonal', 'other_segments', 'previous_version'])
      .optional(),
    median_of: weeks.optional(),
  })
  .refine(({ to, median_of }) => (to === undefined) !== (median_of === undefined), {
    error: 'give either "to" or "median_of"',
  });

/** How a window's baseline is made. */
export type Comparison =
  /** No baseline: the value itself is bounded. */
  | { to: 'none' }
  | { to: 'previous_period' }
  | { to: 'same_weekday' }
  /** The median of the same slot in each of the `weeks` weeks before. */
  | { to: 'median'; weeks: number }
  /** The other segments in the same windows, or the version before. */
  | { to: 'other_segments' }
  | { to: 'previous_version' }
  /** What the seasonal model expects (`shared/statistics/seasonal.ts`). */
  | { to: 'seasonal' };

export function comparisonOf(given: z.output<typeof comparisonSchema>): Comparison {
  if (given.median_of !== undefined) return { to: 'median', weeks: given.median_of };
  return { to: given.to ?? 'previous_period' };
}

/**
 * The baseline of a rule without `compare`. A rule that bounds only the value needs none. A new version has no past, so
 * versions are compared with one another, unless the figure follows their number of users. Hourly and daily counts have a weekly shape, and a median of several weeks
 * is less noisy than one week. Weeks and months have no such shape. Daily means have little of it, and their segments
 * are often young (a new version), so they are compared with the day before.
 */
export function defaultComparison(
  metric: Metric,
  grain: Grain,
  { fire, anomaly, group_by }: { fire?: Bounds | undefined; anomaly?: unknown } & SegmentRule,
): Comparison {
  if (!fire) return { to: 'seasonal' };
  if (anomaly === undefined && isLevel(fire)) return { to: 'none' };
  if (anomaly === undefined && isRate(metric) && versionPlace({ group_by }) >= 0)
    return { to: 'previous_version' };
  if (grain === 'week' || grain === 'month') return { to: 'previous_period' };
  if (metric.kind === 'mean' && grain === 'day') return { to: 'previous_period' };
  return { to: 'median', weeks: 4 };
}

/** Whether two segments can be compared by the figure: it does not follow from their sizes, and it has a test. */
export function isRate({ kind }: Metric): boolean {
  return kind === 'ratio' || kind === 'mean';
}

/** The baseline in words, such as "the median of the same hour in 4 weeks before". */
export function comparisonText(comparison: Comparison, grain: Grain): string {
  switch (comparison.to) {
    case 'none':
      return 'nothing: the value itself is bounded';
    case 'previous_period':
      return `the ${grain} just before`;
    case 'same_weekday':
      return `the same ${grain} one week before`;
    case 'median':
      return `the median of the same ${grain} in ${comparison.weeks} weeks before`;
    case 'other_segments':
      return 'all other segments at the same time';
    case 'previous_version':
      return 'the version before at the same time';
    case 'seasonal':
      return `what is usual for this ${grain} of the week`;
  }
}
