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

/** The share of the baseline's own deviation that the next comparison is expected to give back. */
const GIVEN_BACK = 0.5;

/**
 * The change without the part that only undoes the baseline's own deviation. An unusual window is seen twice: against
 * its baseline, and as the baseline of a later window, which then seems to move the other way. If windows vary
 * independently around a level, the best estimate of the level is the mean of the baseline and of its own baseline.
 * The change from that mean is `change + ofBaseline / 2`, with 3/4 of the variance. The smaller of both standardised
 * changes counts, so a change never grows.
 */
export function withoutRebound(deviation: Deviation, ofBaseline: Deviation | undefined): Deviation {
  const direction = Math.sign(deviation.change);
  if (!ofBaseline || ofBaseline.change * direction >= 0) return deviation;
  const fromMean = deviation.change + GIVEN_BACK * ofBaseline.change;
  const left = Math.max(0, direction * fromMean) / Math.sqrt(1 - GIVEN_BACK ** 2);
  return left < Math.abs(deviation.change) ? { ...deviation, change: direction * left } : deviation;
}
