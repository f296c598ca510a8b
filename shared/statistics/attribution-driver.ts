/**
 * A part of the whole that drove a change. `within`: its own mean changed. `mix`: its weight changed, and its mean
 * differs from the overall mean. `unique`: parts overlap, so the shares can add up to more than 1.
 */
export interface Driver {
  kind: 'count' | 'within' | 'mix' | 'unique';
  /** By dimension. */
  values: Readonly<Record<string, string>>;
  /** The part's amount or, for a mean, the part's mean; `null` if it has no weight. */
  current: number | null;
  baseline: number | null;
  /** Its share of the overall change: 0.92 is 92%. Above 1 if other parts changed in the opposite direction. */
  shareOfChange: number;
  /** Its share of the baseline's total amount or, for a mean, total weight. 0 if that total is 0. */
  shareOfBase: number;
  /** The same share of the current total. */
  shareNow: number;
}

export interface Attribution {
  /** At most three, of the same dimensions, the one that explains most first. Empty if nothing stands out. */
  drivers: Driver[];
  /**
   * For a mean: the dimension in which the within effect and the mix effect oppose each other most, both in the mean's
   * unit. If the mix effect is larger, the overall mean moved against its parts (Simpson's paradox).
   */
  opposed: { dimension: string; within: number; mix: number } | null;
  /** Log likelihood ratio of the first driver to no change, minus the penalty for the search. 0 for `mix`. */
  score: number;
  /**
   * Whether the drivers changed differently from the other parts, beyond the normal variation between parts. If not,
   * the data fits one change of all parts: ask for more dimensions, but do not name these drivers.
   */
  isApart: boolean;
}

/** Maximum number of drivers. A longer list explains nothing. */
export const MOST_DRIVERS = 3;

/** Minimum share of the change that the first driver explains. */
export const LEAST_SHARE = 0.2;

/** Minimum share of the change that each further driver explains. */
export const LEAST_SHARE_BESIDE = 0.1;

/** Minimum odds ratio of a driver's share of the change to its share of the baseline. */
const LEAST_LIFT = 1.5;

/**
 * Whether a part explains more of a change than its size does. If all parts changed by one factor, its share of the
 * change would equal its share of the baseline. Compares odds, so that a part with 90% of the baseline can stand out.
 */
export function isMoreThanItsSize(shareOfChange: number, shareOfBase: number): boolean {
  if (shareOfChange >= 1) return shareOfBase < 1;
  return shareOfChange * (1 - shareOfBase) >= LEAST_LIFT * shareOfBase * (1 - shareOfChange);
}
