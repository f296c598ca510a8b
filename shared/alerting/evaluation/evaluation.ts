import type { Borrowed } from '../../statistics/dispersion.ts';
import type { BaselineOrigin, Reading } from '../readings/reading.ts';
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
  /** Past pairs that the dispersion was learned from. */
  pairs: number;
  /** Present where they are too few to say it alone: the tau that it was drawn towards, and where that comes from. */
  borrowed?: Borrowed | undefined;
  /**
   * Two-sided: of the exact conditional test (mid-p), for comparison only; of a ratio Fisher's, where counts are small.
   * `null` for means and medians.
   */
  exactP: number | null;
  /** Among the segments of its rule: how many were tested, and p as adjusted for that; `null` for one that is alone. */
  family: { tested: number; adjustedP: number } | null;
}

/** How far a window is from what the seasonal model expected (see `shared/statistics/seasonal.ts`). */
export interface Surprise {
  /** What was expected of this window, in the metric's unit, and the band in which it would be no surprise. */
  expected: number;
  low: number;
  high: number;
  /** Negative for a fall. */
  z: number;
  /** What |z| must reach in this direction. */
  limit: number;
  isBeyond: boolean;
  /** Within the limit of what its time of the week alone says, whatever carries over from the window before. */
  isUsual: boolean;
  /** Whether a gap as large as the one that an open alert fired on would show here. */
  wouldTell: boolean;
  /** Days among those `remembered` with at least as large a gap in this direction. */
  larger: number;
  remembered: number;
}

/**
 * Why a verdict is what it is. `gate`: what that gate found. The others say what was missing: a value of the window
 * (`no-denominator`: of a ratio), a season, a history of a new segment, a baseline, or a way to compare the two.
 */
export type VerdictReason =
  | { code: 'gate'; gate: GateName }
  | { code: 'no-value' | 'no-denominator' }
  | { code: 'no-season' | 'new-segment' | 'no-baseline' | 'not-comparable' }
  | { code: 'members'; firing: number; of: number };

/** What one window of one series was found to be. */
export interface Evaluation {
  window: Window;
  /** The newest window the baseline was made of; the window itself where a model expects. */
  baselineWindow: Window;
  origin: BaselineOrigin;
  current: Reading;
  baseline: Reading;
  /** The window just before, as the service compares it; the same as the baseline for `previous_period`. */
  previous: Reading;
  /** Hour-for-hour current minus baseline, in the metric's unit. `null` where either has no value. */
  difference: number | null;
  /** `difference / baseline`; 0 for 0 to 0, `null` for a rise from 0 (the kind "new"). */
  change: number | null;
  gates: Gate[];
  significance: Significance | null;
  /** `null` where no season was asked for, or is not known yet. */
  surprise: Surprise | null;
  verdict: Verdict;
  reason: VerdictReason;
  /** Whether a firing alert may count this window towards its recovery. */
  recovered: boolean;
}
