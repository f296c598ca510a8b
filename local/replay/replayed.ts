import type { AlertState } from '../../shared/alerts/alert.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import type { HealthReason } from '../../shared/evaluation/reason.ts';
import type { Message } from '../../shared/messages/message.ts';
import type { PendingNotification } from '../../shared/notifications/pending.ts';
import type { Window } from '../../shared/time/window.ts';

/** One evaluated window of one series at run `at`, and the state of its alert afterwards. */
export interface ReplayedWindow {
  kind: 'evaluated';
  at: number;
  ruleId: string;
  segment: string | null;
  evaluation: Evaluation;
  state: AlertState;
}

/** An alert that changed in a window without data for its segment, and its state afterwards. */
export interface ReplayedUnseen {
  kind: 'unseen';
  at: number;
  ruleId: string;
  segment: string | null;
  window: Window;
  state: AlertState;
}

/** A run that could not evaluate a rule to its end, and why. */
export interface ReplayedGap {
  kind: 'unevaluated';
  at: number;
  ruleId: string;
  reason: HealthReason;
}

/** One message to one channel, with its notifications. */
export interface ReplayedMessage {
  kind: 'sent';
  at: number;
  channel: string;
  route: string;
  message: Message;
  pending: PendingNotification[];
}

/** The events of a replay, in order. */
export type ReplayEvent = ReplayedWindow | ReplayedUnseen | ReplayedGap | ReplayedMessage;
