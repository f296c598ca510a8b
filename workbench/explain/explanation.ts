import type { Alert, AlertState } from '../../shared/alerts/alert.ts';
import type { BaselineCandidate } from '../../shared/evaluation/baseline-making.ts';
import type { Evaluation, Verdict, VerdictReason } from '../../shared/evaluation/evaluation.ts';
import type { GateName } from '../../shared/evaluation/gate.ts';
import type { Reading } from '../../shared/readings/reading.ts';
import type { Window } from '../../shared/time/window.ts';

/** One series as a row: a segment of a rule, or a member of a composite rule. */
export interface ExplainedSeries {
  segment: string | null;
  state: AlertState | 'unseen';
  verdict: Verdict | null;
  current: number | null;
  baseline: number | null;
  change: number | null;
  reason: VerdictReason | null;
}

/** One window of one series, and its evaluation. */
export interface ExplainedWindow {
  window: Window;
  /** Scheduled time of the first run that could evaluate it. */
  dueAt: number;
  /** `kept`: the stored verdict; `made again`: evaluated from stored readings, because no verdict is stored. */
  from: 'kept' | 'made again';
  evaluation: Evaluation;
  /** The gate that decided the verdict. */
  decisive: GateName | null;
  /** What each stored call returned for it, oldest first. */
  readings: StoredReading[];
  /** The windows of its baseline by current readings, nearest first. */
  baseline: (BaselineCandidate & { readings: StoredReading[] })[];
  /** Sentences: the values at which it fires, and how many more windows that takes. */
  outlook: string[];
}

/** What one call returned for a window. */
export interface StoredReading extends Reading {
  readAt: number;
  /** Whether the window was read before. */
  isReread: boolean;
}

export function seriesFacts({ segment, state, last }: Alert): ExplainedSeries {
  const { verdict = null, reason = null, change = null, current, baseline } = last ?? {};
  return {
    ...{ segment, state, verdict, reason, change },
    ...{ current: current?.value ?? null, baseline: baseline?.value ?? null },
  };
}

/** The deciding gate: the first that failed, or the one in the reason. */
export function decisiveIn({ gates, reason }: Evaluation): GateName | null {
  const failed = gates.find(({ passed, gate }) => !passed && gate !== 'member');
  return failed?.gate ?? (reason.code === 'gate' ? reason.gate : null);
}
