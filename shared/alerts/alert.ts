import type { Drivers } from '../evaluation/drivers.ts';
import type { Evaluation, Verdict } from '../evaluation/evaluation.ts';
import type { Fired } from '../evaluation/fired.ts';
import type { HealthReason, Reason } from '../evaluation/reason.ts';
import type { Reading } from '../readings/reading.ts';
import type { Window } from '../time/window.ts';
import type { Unmatched } from './matches-nothing.ts';
import type { Transition } from './transitions.ts';

/** Identifies an alert: a rule and a value of its `group_by`; `null` for the rule as a whole. */
export interface AlertKey {
  ruleId: string;
  segment: string | null;
}

/** Most severe first. */
export const ALERT_STATES = ['firing', 'recovering', 'pending', 'normal'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** Whether the alert fired and has not recovered. */
export function isOpen(state: AlertState): boolean {
  return state === 'firing' || state === 'recovering';
}

/**
 * Whether the rule can be evaluated; stored on the alert of the rule as a whole. `since` and `through` are the
 * scheduled times of the first and last run of the streak. `notified`: more than a first failure was sent, so the end
 * will be sent too.
 */
export type Health =
  | { kind: 'ok' }
  | {
      kind: 'inconclusive';
      since: number;
      through: number;
      reason: HealthReason;
      notified: boolean;
      wants: 'data' | 'calls';
    }
  | {
      kind: 'failing' | 'broken';
      since: number;
      through: number;
      reason: HealthReason;
      notified: boolean;
      streak: number;
    };

/** One transition to notify, with its reason. */
export interface News {
  transition: Transition;
  reason: Reason;
}

/** A pending notification to one channel: what happened, as of when it happened. */
export interface Notification {
  transition: Transition;
  channel: string;
  route: string;
  /** The run that found it. */
  tick: string;
  /** End of the window that caused it. */
  windowEndAt: number;
  /** The scheduled time of that run. */
  since: number;
  reason: Reason;
  /** `null` for transitions of health. */
  evaluation: Evaluation | null;
  /** Drivers of the fire; `null` if unknown. */
  drivers: Drivers | null;
  /** End of the window on which the alert fired; on a recovery it identifies the fire that ended. */
  firedWindowEndAt: number | null;
  /** The first reading of the window, if the evaluation uses a later one. */
  firstRead: Reading | null;
  /**
   * When to send it. Later than `since` after a failed attempt; while it is being sent, when another sender may retry.
   */
  dueAt: number;
  /** Attempts that may have been delivered; 0: certainly not delivered. */
  attempts: number;
  /** For a fire and its retraction: the revision of the alert, as one window can fire twice. */
  revision?: number | undefined;
  /** For a reminder: its number, from 1. */
  reminder?: number | undefined;
  /** For an escalation: the minutes without an answer after which it is sent. */
  escalatedAfterMinutes?: number | undefined;
  /** For an escalation: the channels of its route. The first of them that accepts the start begins its wait. */
  startChannels?: string[] | undefined;
  /** The common cause that it is grouped under. */
  cause?: string | undefined;
}

/** A sent message that its channel can change and reply to. */
export interface Receipt {
  /** Where it was sent, as the service names it: the id of a Slack channel. */
  conversation: string;
  /** The message there: its `ts` in Slack. */
  message: string;
  /** Whether it is about several alerts, so that it stays as it is. */
  isDigest?: boolean | undefined;
}

/** A notification that was sent. */
export interface SentNotification {
  transition: Transition;
  channel: string;
  windowEndAt: number;
  sentAt: number;
  /** For a retraction: the end of the window on which the alert had fired. */
  firedWindowEndAt?: number | undefined;
  /** The common cause that it was grouped under. */
  cause?: string | undefined;
  /** Of a channel that can change its messages. */
  receipt?: Receipt | undefined;
}

/** The state of one rule and segment: everything kept between two runs. */
export interface Alert {
  ruleId: string;
  segment: string | null;
  /** Hash of the rule's meaning; a different meaning resets the alert. */
  ruleHash: string;
  state: AlertState;
  /** End of the window that caused `state`. */
  stateSinceAt: number;
  /** End of the last evaluated window. Earlier windows are not evaluated again. */
  evaluatedThroughAt: number;
  /**
   * The last evaluated windows, oldest first, since the alert last ended. "N of M" counts them, and only they can be
   * re-evaluated.
   */
  recent: EvaluatedWindow[];
  /** The last evaluated windows with their values, oldest first, for display. They outlive the end of the alert. */
  lastWindows: LastWindow[];
  /** For the alert of a whole rule with segments: the segment that `lastWindows` is about. */
  largestSegment?: string | undefined;
  /** While firing or recovering: the fire and the baseline to recover to. */
  fired: Fired | null;
  /** While pending: the first breach, whose baseline the next windows are compared with. */
  suspected: Fired | null;
  /** The last firing spans, oldest first, the open one included. They are excluded from baselines. */
  incidents: Window[];
  /** Start of a level that was rebaselined. Older windows are excluded from baselines. */
  levelSinceAt: number | null;
  /** End of the window by which that level was rebaselined; before that it was an incident. */
  levelAcceptedAt?: number | undefined;
  /** Since when the series is known to have values; absent until then. */
  seenSinceAt?: number | undefined;
  /** Ends of the windows in which it last started or stopped firing, oldest first. Flapping counts them. */
  changes: number[];
  /** While flapping: the end of the window since which it flaps. */
  flappingSinceAt: number | null;
  /** Consecutive windows without a value. `notified`: a notification was sent, which never happens for a segment. */
  noData: { sinceAt: number; windows: number; notified: boolean } | null;
  /** For the alert of the rule as a whole: since when the rule has had no value. */
  unmatched: Unmatched | null;
  health: Health;
  /** While it fires: the acknowledgement. */
  acknowledged: Said | null;
  /** While it fires: the snooze; `untilAt` is `null` for "until it recovers". */
  snoozed: (Said & { untilAt: number | null }) | null;
  /** Windows that end by then are held, as they differ for a known reason. */
  excusedUntilAt: number | null;
  /** Answers, newest first. */
  answers: GivenAnswer[];
  /** The last evaluation, for display. */
  last: Evaluation | null;
  /** Notifications not sent yet, by `notificationKey`. */
  pending: Record<string, Notification>;
  /** The earliest `dueAt` in `pending`; `null` if it is empty. */
  pendingAt: number | null;
  /** Sent notifications that `remembered` keeps, newest first. */
  sent: SentNotification[];
  /** Counts saves; a save must name the revision that it is based on. */
  revision: number;
}

/** Who answered, when and why. `reason` may be empty. */
export interface Said {
  by: string;
  at: number;
  reason: string;
}

interface AnswerFacts {
  endsAlert: boolean;
  /** Whether a button asks for confirmation. */
  asksAgain: boolean;
}

/** Possible answers, by their names in links, buttons and records. */
export const ANSWERS = {
  acknowledge: { endsAlert: false, asksAgain: false },
  'snooze-1h': { endsAlert: false, asksAgain: false },
  'snooze-1d': { endsAlert: false, asksAgain: false },
  'snooze-1w': { endsAlert: false, asksAgain: true },
  'snooze-until-recovered': { endsAlert: false, asksAgain: true },
  accept: { endsAlert: true, asksAgain: true },
  holiday: { endsAlert: true, asksAgain: true },
  incident: { endsAlert: false, asksAgain: false },
} as const satisfies Record<string, AnswerFacts>;
export type Answer = keyof typeof ANSWERS;
export const ANSWER_NAMES = Object.keys(ANSWERS) as [Answer, ...Answer[]];

export interface GivenAnswer extends Said {
  answer: Answer;
  /** What the alert fired on at the time of the answer: `firingSince`. */
  firedWindowEndAt: number;
  /** The single-use link or form through which it was given, if any. */
  link: string | null;
}

/** An evaluated window; `held`: it does not count. */
export interface EvaluatedWindow {
  endAt: number;
  verdict: 'breached' | 'clear' | 'held';
}

/** An evaluated window, for display. */
export interface LastWindow {
  endAt: number;
  /** Rounded to five significant digits. */
  value: number | null;
  verdict: Verdict;
}

/** The result of one step: the alert afterwards and what to notify. */
export interface Step {
  alert: Alert;
  news: News[];
}

/** A step without a notification. */
export function quiet(alert: Alert): Step {
  return { alert, news: [] };
}

/** The alert of a series that was never evaluated. */
export function newAlert(key: AlertKey, ruleHash: string, evaluatedThroughAt: number): Alert {
  return {
    ...key,
    ruleHash,
    state: 'normal',
    stateSinceAt: evaluatedThroughAt,
    evaluatedThroughAt,
    recent: [],
    lastWindows: [],
    fired: null,
    suspected: null,
    incidents: [],
    levelSinceAt: null,
    changes: [],
    flappingSinceAt: null,
    noData: null,
    unmatched: null,
    health: { kind: 'ok' },
    acknowledged: null,
    snoozed: null,
    excusedUntilAt: null,
    answers: [],
    last: null,
    pending: {},
    pendingAt: null,
    sent: [],
    revision: 0,
  };
}
