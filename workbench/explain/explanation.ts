import type {
  Alert,
  AlertState,
  Health,
  Notification,
  SentNotification,
} from '../../shared/alerting/alerts/alert.ts';
import type { BaselineCandidate } from '../../shared/alerting/evaluation/baseline-making.ts';
import type { Evaluation, Verdict, VerdictReason } from '../../shared/alerting/evaluation/evaluation.ts';
import type { GateName } from '../../shared/alerting/evaluation/gate.ts';
import type { HealthReason } from '../../shared/alerting/evaluation/reason.ts';
import type { Reading } from '../../shared/alerting/readings/reading.ts';
import type { Rule } from '../../shared/alerting/rules/rule.ts';
import type { Window } from '../../shared/alerting/time/window.ts';

/**
 * Why a rule says what it says. All that ends in `At` is milliseconds since 1970; `explain --json` prints it as ISO 8601 in
 * UTC.
 */
export interface Explanation {
  rule: ExplainedRule;
  /** `null` for the rule as a whole. */
  segment: string | null;
  /** What is kept of its alert; `null` before it was judged. */
  alert: ExplainedAlert | null;
  /** `null` where it was never judged, and for a rule with segments of which none was asked for. */
  evaluated: ExplainedWindow | null;
  /** Of a rule with segments as a whole: all of them, the gravest first. */
  segments: ExplainedSeries[];
  /** Of a rule over rules: those that it is about. */
  members: (ExplainedSeries & { rule: string })[];
  /** Messages not yet sent. */
  pending: (Pick<Notification, 'transition' | 'channel' | 'dueAt' | 'attempts'> & { sinceAt: number })[];
  /** Messages that were, newest first. */
  notified: Pick<SentNotification, 'transition' | 'channel' | 'windowEndAt' | 'sentAt'>[];
}

export interface ExplainedRule extends Pick<Rule, 'id' | 'title' | 'app' | 'owner' | 'zone' | 'window'> {
  /** Changes when, and only when, the rule's meaning does. */
  meaning: string;
  /** Of the rule set in force. */
  version: string;
  /** Its words: "fire: change below -30 %". */
  bounds: string;
}

export interface ExplainedAlert
  extends Pick<Alert, 'state' | 'evaluatedThroughAt' | 'flappingSinceAt' | 'noData'>,
    Pick<Alert, 'acknowledged' | 'snoozed' | 'excusedUntilAt'> {
  /** Of what fires, the begin of the first window in breach, as messages and the page say it. */
  sinceAt: number;
  /** `null` while it can be judged. */
  ails: { kind: Exclude<Health['kind'], 'ok'>; sinceAt: number; reason: HealthReason } | null;
  /** The meaning by which it was judged last. */
  meaning: string;
  /** What drove the fire, a sentence each. */
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

/** One window of one series, and how it was judged. */
export interface ExplainedWindow {
  window: Window;
  /** The scheduled time of the first run that could judge it. */
  dueAt: number;
  /** `kept`: as it was judged then; `made again`: from the readings that are kept, as no verdict on it is. */
  from: 'kept' | 'made again';
  evaluation: Evaluation;
  /** The gate that the verdict rests on. */
  decisive: GateName | null;
  /** How its baseline is made from what is kept now, the nearest window first. */
  composition: BaselineCandidate[];
  readings: RawReading[];
  /** Sentences: at which values it would have fired or recovered, and how many more windows that takes. */
  outlook: string[];
  again: Again;
  /** `null` where the service was not asked. */
  live: Live | null;
}

/** What one call said of one window. */
export interface RawReading extends Reading {
  of: 'window' | 'baseline';
  window: Window;
  readAt: number;
  /** Whether the window had been read before. */
  isReread: boolean;
}

/** What the same code finds in the readings that are kept today. */
export type Again =
  | { kind: 'same' }
  | { kind: 'differs'; verdict: Verdict; differences: string[]; causes: string[] }
  /** It cannot be judged again, or there is nothing to hold it against. */
  | { kind: 'unknown'; reason: string };

/** What the service says of the window today. */
export type Live =
  | { kind: 'read'; reading: Reading; stored: Reading | null; isSame: boolean; verdict: Verdict | null }
  | { kind: 'unread'; reason: string };
