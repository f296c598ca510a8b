import type { AlertState } from '../../shared/alerting/alerts/alert.ts';
import type { Evaluation } from '../../shared/alerting/evaluation/evaluation.ts';
import type { HealthReason } from '../../shared/alerting/evaluation/reason.ts';
import type { Message } from '../../shared/alerting/messages/message.ts';
import type { PendingNotification } from '../../shared/alerting/notifications/owed.ts';
import type { Window } from '../../shared/alerting/time/window.ts';

/** One window of one series as it was judged at the tick of `at`, and where its alert stood after it. */
export interface ReplayedWindow {
  kind: 'evaluated';
  at: number;
  ruleId: string;
  segment: string | null;
  evaluation: Evaluation;
  state: AlertState;
}

/** An alert that a window moved on in which nothing was known of its segment, and where it stood after it. */
export interface ReplayedUnseen {
  kind: 'unseen';
  at: number;
  ruleId: string;
  segment: string | null;
  window: Window;
  state: AlertState;
}

/** A tick at which a rule could not be judged to its end, and why. */
export interface ReplayedGap {
  kind: 'unjudged';
  at: number;
  ruleId: string;
  reason: HealthReason;
}

/** One message as one channel was sent it, with the debts that it told of. */
export interface ReplayedMessage {
  kind: 'sent';
  at: number;
  channel: string;
  route: string;
  message: Message;
  pending: PendingNotification[];
}

/** What happened while rules were let loose on the past, in order. */
export type ReplayEvent = ReplayedWindow | ReplayedUnseen | ReplayedGap | ReplayedMessage;
