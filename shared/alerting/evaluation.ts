import type { Reading } from './reading.ts';
import type { Window } from './window.ts';

/** The yes/no tests on the way to a verdict, in the order in which they are taken. */
export type GateName = 'settled' | 'fresh' | 'volume' | 'threshold' | 'significance';

/** One test with what it was decided on, in words a person can check. */
export interface Gate {
  gate: GateName;
  passed: boolean;
  detail: string;
}

export type Verdict = 'breached' | 'clear' | 'no-data' | 'inconclusive' | 'failed';

/** The count test's figures (see `shared/statistics/counts.ts`). */
export interface Significance {
  z: number;
  p: number;
  clustering: number;
  tau: number;
  /** Past pairs that the dispersion was learned from; under 8 it is the default. */
  pairs: number;
  /** Two-sided mid-p of the exact conditional test, for comparison only; `null` for means. */
  exactP: number | null;
}

/** What one window of one series was found to be. */
export interface Evaluation {
  window: Window;
  baselineWindow: Window;
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
  verdict: Verdict;
  /** One sentence: why this verdict. */
  reason: string;
  /** Whether a firing alert may count this window towards its recovery. */
  recovered: boolean;
}
