import type { BaselineOrigin, Reading } from '../readings/reading.ts';
import type { Borrowed } from '../statistics/dispersion.ts';
import type { Window } from '../time/window.ts';
import type { Gate, GateName } from './gate.ts';

export const VERDICTS = ['breached', 'clear', 'no-data', 'inconclusive', 'failed'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The count test's figures (see `shared/statistics/counts.ts`). */
export interface Significance {
  z: number;
  p: number;
  clustering: number;
  tau: number;
  /** Number of past pairs from which the dispersion was estimated. */
  pairs: number;
  /** Present if they are too few: the tau that the estimate is pulled towards, and its source. */
  borrowed?: Borrowed | undefined;
  /**
   * Two-sided p of the exact conditional test (mid-p), for comparison only; for ratios with small counts Fisher's.
   * `null` for means and medians.
   */
  exactP: number | null;
  /** The number of segments tested and the adjusted p; `null` for a single series. */
  family: { tested: number; adjustedP: number } | null;
}

/** The deviation of a window from the seasonal model (see `shared/statistics/seasonal.ts`). */
export interface Surprise {
  /** The expected value in the metric's unit and the band of normal values. */
  expected: number;
  low: number;
  high: number;
  /** Negative for a fall. */
  z: number;
  /** The limit of |z| in this direction. */
  limit: number;
  isBeyond: boolean;
  /** Within the limit for its time of the week alone, without what carries over from the previous window. */
  isUsual: boolean;
  /** Whether a deviation as large as that of the open alert would be detected here. */
  canDetect: boolean;
  /** Number of `remembered` days with at least as large a deviation in this direction. */
  larger: number;
  remembered: number;
}

/**
 * The reason of a verdict. `gate`: the result of that gate. The others name what was missing: a value of the window
 * (`no-denominator`: of a ratio), a season, history of a new segment, a baseline, or a way to compare the two.
 */
export type VerdictReason =
  | { code: 'gate'; gate: GateName }
  | { code: 'no-value' | 'no-denominator' }
  | { code: 'no-season' | 'new-segment' | 'no-baseline' | 'not-comparable' }
  | { code: 'members'; firing: number; of: number };

/** The evaluation of one window of one series. */
export interface Evaluation {
  window: Window;
  /** The newest window of the baseline; the window itself if a model sets the expectation. */
  baselineWindow: Window;
  origin: BaselineOrigin;
  current: Reading;
  baseline: Reading;
  /** The previous window as the service compares it; equal to the baseline for `previous_period`. */
  previous: Reading;
  /** Current minus baseline, scaled by hours, in the metric's unit; `null` if either has no value. */
  difference: number | null;
  /** `difference / baseline`; 0 for 0 to 0, `null` for a rise from 0 (the kind "new"). */
  change: number | null;
  gates: Gate[];
  significance: Significance | null;
  /** `null` if the rule has no season or it is not known yet. */
  surprise: Surprise | null;
  verdict: Verdict;
  reason: VerdictReason;
  /** Whether a firing alert may count this window towards its recovery. */
  recovered: boolean;
}
