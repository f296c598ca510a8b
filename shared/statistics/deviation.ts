/** The difference between a period and its baseline, and the variance that it would have by chance. */
export interface Deviation {
  /** Log ratio of rates or odds; negative for a fall. */
  change: number;
  /** Variance of `change` by chance alone, if both periods have the same rate; above 0. */
  chance: number;
}

/** How much more a series varies between periods than by chance. */
export interface Dispersion {
  /** Factor on the variance by chance, because events come in clusters: several rage gestures in one session. */
  clustering: number;
  /** Standard deviation of the log between periods that does not shrink with larger counts. */
  tau: number;
}

/** The observed variance of a series' changes, and their variance by chance. */
export interface Spread {
  seen: number;
  chance: number;
}
