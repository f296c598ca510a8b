/**
 * What drove a change, or a part of it. `within`: its own mean moved. `mix`: its weight did, and its mean is not that
 * of the whole. `unique`: it counts what others count too, so that shares may add up to more than 1.
 */
export interface Driver {
  kind: 'count' | 'within' | 'mix' | 'unique';
  /** By dimension. */
  values: Readonly<Record<string, string>>;
  /** Its own amount or, of a mean, its own mean; `null` where it has no weight. */
  current: number | null;
  baseline: number | null;
  /** Its part in the change of the whole: 0.92 is 92 %. Over 1 where others moved the other way. */
  shareOfChange: number;
  /** Its part of the whole before: of the amount or, of a mean, of the weight. 0 where there was nothing. */
  shareOfBase: number;
  /** Its part of the whole now. */
  shareNow: number;
  /** How far its part of the whole moved (`surpriseOf`), in nats. */
  surprise: number;
}

export interface Attribution {
  /** At most three values, of the same dimensions, the one that explains most first; none where nothing stands out. */
  drivers: Driver[];
  /**
   * Of a mean: the dimension in which what moved within values and what their mix did work against each other, both in
   * the mean's unit. Where the mix prevails, the whole went the other way than its parts (Simpson's paradox).
   */
  opposed: { dimension: string; within: number; mix: number } | null;
  /** Log likelihood of the first driver over that of no change, less the price of the search; 0 of `mix`. */
  score: number;
  /**
   * Whether the drivers moved otherwise than the others did, beyond what parts usually do. Where not, all fell alike as
   * far as can be told: they are worth a further question and no name.
   */
  isApart: boolean;
}

/** The most values to name: more would not explain anything. */
export const MOST_DRIVERS = 3;

/** A value that explains a smaller share of the change is not a driver. */
export const LEAST_SHARE = 0.2;

/** A further value that explains a smaller share is not named beside others. */
export const LEAST_SHARE_BESIDE = 0.1;

/** The odds of a driver's share of the change are at least this many times those of its share of the base. */
const LEAST_LIFT = 1.5;

/**
 * Whether a part of the whole explains more of a change than its size would: had all moved alike, its share of the
 * change would be its share of the base. By odds, so that 90 % of the base can stand out too.
 */
export function isMoreThanItsSize(shareOfChange: number, shareOfBase: number): boolean {
  if (shareOfChange >= 1) return shareOfBase < 1;
  return shareOfChange * (1 - shareOfBase) >= LEAST_LIFT * shareOfBase * (1 - shareOfChange);
}

/**
 * A part's contribution to the Jensen-Shannon divergence of how the whole was made up before and how it is now, in
 * nats: Adtributor's surprise (Bhagwan et al., NSDI 2014).
 */
export function surpriseOf(shareOfBase: number, shareNow: number): number {
  const middle = (shareOfBase + shareNow) / 2;
  const term = (share: number) => (share > 0 ? (share / 2) * Math.log(share / middle) : 0);
  return Math.max(0, term(shareOfBase) + term(shareNow));
}
