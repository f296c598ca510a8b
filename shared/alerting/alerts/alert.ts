import type { Drivers } from '../evaluation/drivers.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import type { Fired } from '../evaluation/fired.ts';
import type { HealthReason, Reason } from '../evaluation/reason.ts';
import type { Reading } from '../readings/reading.ts';
import type { Window } from '../time/window.ts';
import type { Unmatched } from './matches-nothing.ts';
import type { Transition } from './transitions.ts';

/** Who an alert belongs to: one rule and one value of its `group_by`; `null` for the rule as a whole. */
export interface AlertKey {
  ruleId: string;
  segment: string | null;
}

/** The most severe first. */
export const ALERT_STATES = ['firing', 'recovering', 'pending', 'normal'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** Whether the alert fired and has not recovered. */
export function isOpen(state: AlertState): boolean {
  return state === 'firing' || state === 'recovering';
}

/**
 * How well the rule can be judged, apart from what it finds; kept on the alert of the rule as a whole. `since` and
 * `through` are the scheduled times of the first and the last tick of the streak; `told`: people were told of more than
 * a first failure, and will be told when it is over.
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

/** One thing to tell, and why. */
export interface News {
  transition: Transition;
  reason: Reason;
}

/** A message owed to one channel: what happened, as it was when it happened. */
export interface Notification {
  transition: Transition;
  channel: string;
  route: string;
  /** The tick that found it. */
  tick: string;
  /** End of the window that caused it. */
  windowEndAt: number;
  /** The scheduled time of that tick. */
  since: number;
  reason: Reason;
  /** `null` for transitions of health. */
  evaluation: Evaluation | null;
  /** What drove the fire; `null` where that is not known. */
  drivers: Drivers | null;
  /** End of the window in which the alert fired; on a recovery it names what is over. */
  firedWindowEndAt: number | null;
  /** What the window was first read as, where the evaluation is of a later reading. */
  firstRead: Reading | null;
  /** When to send it: later than `since` after a failed attempt; while it is being sent, when another may try. */
  dueAt: number;
  /** How often it was sent so that it may have got through; 0: it certainly reached nobody. */
  attempts: number;
  /** Of a fire and its retraction: the revision of the alert that owes it. One window may fire twice. */
  revision?: number | undefined;
  /** Of a reminder: which one it is, from 1. */
  reminder?: number | undefined;
  /** The common cause that it is told as a part of. */
  cause?: string | undefined;
}

/** A message that was sent. */
export interface SentNotification {
  transition: Transition;
  channel: string;
  windowEndAt: number;
  sentAt: number;
  /** Of a fire that was taken back: the end of the window that it had fired on. */
  firedWindowEndAt?: number | undefined;
  /** The common cause that it was told as a part of. */
  cause?: string | undefined;
}

/** The state of one rule for one segment: everything that is remembered between two runs. */
export interface Alert {
  ruleId: string;
  segment: string | null;
  /** The rule's meaning when this was saved; another meaning starts afresh. */
  ruleHash: string;
  state: AlertState;
  /** When `state` was entered: the end of the window that brought it. */
  stateSinceAt: number;
  /** End of the last window judged; nothing up to it is judged again. */
  evaluatedThroughAt: number;
  /**
   * The windows judged last, oldest first: what "N of M" is counted on, and all that may be judged again. None from
   * before it last ended: what is over stays over.
   */
  recent: EvaluatedWindow[];
  /** While firing or recovering: what it fired on, and the baseline it must come back to. */
  fired: Fired | null;
  /** While pending: the first breach, whose baseline the next windows are held against. */
  suspected: Fired | null;
  /** The last spans in which it fired, oldest first, the open one included: no measure of what is usual. */
  incidents: Window[];
  /** Since when a level that was accepted is the usual one: what is older is no measure of it. */
  levelSinceAt: number | null;
  /** Until when that level was an incident: the end of the window by which it was accepted. */
  levelAcceptedAt?: number | undefined;
  /** From when on its series is known to have figures; absent until it was seen. */
  seenSinceAt?: number | undefined;
  /** Ends of the windows in which it last began or ceased to fire, oldest first: what flapping is counted on. */
  changes: number[];
  /** While it is flapping: since the end of which window. */
  flappingSinceAt: number | null;
  /** Windows in a row without a value, if any; `told`: people know, which of a segment they never do. */
  noData: { sinceAt: number; windows: number; notified: boolean } | null;
  /** Of the alert of the rule as a whole: since when the rule has had no value, while it has none. */
  unmatched: Unmatched | null;
  health: Health;
  /** While it fires: who has taken it, if anybody. */
  acknowledged: Said | null;
  /** While it fires: nothing of it is told until then; `untilAt` is `null` for as long as it fires. */
  snoozed: (Said & { untilAt: number | null }) | null;
  /** Windows that end by then differ for a known reason, and are held. */
  excusedUntilAt: number | null;
  /** What people answered, the newest first. */
  answers: GivenAnswer[];
  /** The last evaluation, for people to read. */
  last: Evaluation | null;
  /** Messages not yet sent, by `debtKey`. */
  pending: Record<string, Notification>;
  /** The earliest `dueAt` of what is owed; `null` when nothing is. */
  pendingAt: number | null;
  /** What `remembered` keeps of the messages sent, newest first. */
  sent: SentNotification[];
  /** Counts the saves; a save must name the revision it was made from. */
  revision: number;
}

/** Who said something, when, and why. `reason` may be empty. */
export interface Said {
  by: string;
  at: number;
  reason: string;
}

interface AnswerFacts {
  endsAlert: boolean;
  /** Whether a button asks again: it ends the alert or silences it for long. */
  asksAgain: boolean;
}

/** What people can answer to an alert, by the words of links, buttons and records. */
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
  /** What it fired on when this was said: `standingOn` of then. */
  firedWindowEndAt: number;
  /** The link or the form of the page by which it was said, if it was one: good once. */
  link: string | null;
}

/** A window as it was judged; `held`: it says neither, and counts for nothing. */
export interface EvaluatedWindow {
  endAt: number;
  verdict: 'breached' | 'clear' | 'held';
}

/** What a step in the life of an alert brought: the alert as it is now, and what there is to tell. */
export interface Step {
  alert: Alert;
  news: News[];
}

/** A step that there is nothing to tell of. */
export function quiet(alert: Alert): Step {
  return { alert, news: [] };
}

/** The alert of a series that was never judged before. */
export function newAlert(key: AlertKey, ruleHash: string, evaluatedThroughAt: number): Alert {
  return {
    ...key,
    ruleHash,
    state: 'normal',
    stateSinceAt: evaluatedThroughAt,
    evaluatedThroughAt,
    recent: [],
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
