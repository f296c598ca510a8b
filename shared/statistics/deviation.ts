/** How far a period is from its baseline, and how far chance alone would bring it. */
export interface Deviation {
  /** On a log scale, of rates or of odds; negative for a fall. */
  change: number;
  /** The variance of `change` if the two were alike and nothing but chance at work; above 0. */
  chance: number;
}

/** How much more than by chance a series varies from period to period. */
export interface Dispersion {
  /** What happens comes in clusters (a session that rages does so more than once): multiplies the variance of chance. */
  clustering: number;
  /** Whole periods differ by this standard deviation of the log, however much is counted. */
  tau: number;
}

/** The variance of a series' changes, and what it would be by chance. */
export interface Spread {
  seen: number;
  chance: number;
}
