import type { Alert, AlertState, Health, Notification, SentNotification } from '../../shared/alerts/alert.ts';
import type { BaselineCandidate } from '../../shared/evaluation/baseline-making.ts';
import type { Evaluation, Verdict, VerdictReason } from '../../shared/evaluation/evaluation.ts';
import type { GateName } from '../../shared/evaluation/gate.ts';
import type { HealthReason } from '../../shared/evaluation/reason.ts';
import type { Reading } from '../../shared/readings/reading.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { Window } from '../../shared/time/window.ts';

/** Fields that end in `At` are epoch milliseconds; `explain --json` prints them as ISO 8601 in UTC. */
export interface Explanation {
  rule: ExplainedRule;
  /** `null` for the whole rule. */
  segment: string | null;
  /** Its stored alert; `null` before its first evaluation. */
  alert: ExplainedAlert | null;
  /** `null` before its first evaluation, and for a rule with segments if none is selected. */
  evaluated: ExplainedWindow | null;
  /** For a whole rule with segments: all of them, most severe first. */
  segments: ExplainedSeries[];
  /** For a composite rule: its members. */
  members: (ExplainedSeries & { rule: string })[];
  /** Pending messages. */
  pending: Notification[];
  /** Sent messages, newest first. */
  sent: SentNotification[];
}

export interface ExplainedRule extends Pick<Rule, 'id' | 'title' | 'app' | 'owner' | 'zone' | 'window'> {
  /** Changes exactly when the rule's meaning does. */
  meaning: string;
  /** Version of the deployed rule set. */
  version: string;
  /** In words: "fire: change below -30%". */
  bounds: string;
}

export interface ExplainedAlert
  extends Pick<Alert, 'state' | 'evaluatedThroughAt' | 'flappingSinceAt' | 'noData'>,
    Pick<Alert, 'acknowledged' | 'snoozed' | 'excusedUntilAt'> {
  /** For a firing alert, the start of the first breached window, as in messages. */
  sinceAt: number;
  /** `null` while it can be evaluated. */
  ails: { kind: Exclude<Health['kind'], 'ok'>; sinceAt: number; reason: HealthReason } | null;
  /** Meaning of the rule at its last evaluation. */
  meaning: string;
  /** Drivers of the fire, one sentence each. */
  drivers: string[];
}

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

/** One series as a row: a segment of a rule, or a member of a composite rule. */
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
