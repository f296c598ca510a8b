import type { BaselineOrigin, Evaluation } from './evaluation.ts';
import type { Reading } from './reading.ts';
import type { Window } from './window.ts';

/** Who an alert belongs to: one rule and one value of its `group_by`; `null` for the rule as a whole. */
export interface AlertKey {
  ruleId: string;
  segment: string | null;
}

export type AlertState = 'normal' | 'pending' | 'firing' | 'recovering';

/**
 * How well the rule can be judged, apart from what it finds; kept on the alert of the rule as a whole. `since` and
 * `through` are the scheduled times of the first and the last tick of the streak; `told`: people were told of more than
 * a first failure, and will be told when it is over.
 */
export type Health =
  | { kind: 'ok' }
  | { kind: 'inconclusive'; since: number; through: number; reason: string; told: boolean }
  | {
      kind: 'failing' | 'broken';
      since: number;
      through: number;
      reason: string;
      told: boolean;
      streak: number;
    };

/**
 * What there is to tell. `accepted`: the level it fired on has lasted so long that it is the usual one now. `restarted`:
 * the rule's meaning was changed while it fired. `stalled`: nothing fails, but nothing can be judged either.
 */
export const TRANSITIONS = [
  'fired',
  'recovered',
  'accepted',
  'restarted',
  'failing',
  'broken',
  'stalled',
  'healed',
] as const;
export type Transition = (typeof TRANSITIONS)[number];

/** Whether a message of this kind tells of an end: nobody has to do anything about it. */
export function isEnd(transition: Transition): boolean {
  return ['recovered', 'accepted', 'restarted', 'healed'].includes(transition);
}

/** A message owed to one channel: what happened, as it was when it happened. */
export interface Debt {
  transition: Transition;
  channel: string;
  route: string;
  /** The tick that found it. */
  tick: string;
  /** End of the window that caused it. */
  windowEndAt: number;
  /** The scheduled time of that tick. */
  since: number;
  /** One sentence on why; the whole message for transitions that have no figures. */
  reason: string;
  /** `null` for transitions of health. */
  evaluation: Evaluation | null;
  /** End of the window in which the alert fired; on a recovery it names what is over. */
  firedWindowEndAt: number | null;
  /** When to send it; later than `since` after a failed attempt. */
  dueAt: number;
  attempts: number;
}

/** A message that was sent. */
export interface Announced {
  transition: Transition;
  channel: string;
  windowEndAt: number;
  sentAt: number;
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
  judgedThroughAt: number;
  /** The last judged windows, oldest first: what "N of M" is counted on. */
  recent: ('breached' | 'clear')[];
  /** While firing or recovering: what it fired on, and the baseline it must come back to. */
  fired: Fired | null;
  /** While pending: the first breach, whose baseline the next windows are held against. */
  suspected: Fired | null;
  /** The last spans in which it fired, oldest first, the open one included: no measure of what is usual. */
  incidents: Window[];
  health: Health;
  /** The last evaluation, for people to read. */
  last: Evaluation | null;
  /** Messages not yet sent, by `debtKey`. */
  owed: Record<string, Debt>;
  /** The earliest `dueAt` of what is owed; `null` when nothing is. */
  owedAt: number | null;
  /** While somebody sends what is owed: until when nobody else may. */
  leasedUntilAt: number | null;
  /** The last messages sent, newest first. */
  announced: Announced[];
  /** Counts the saves; a save must name the revision it was made from. */
  revision: number;
}

export interface Fired {
  windowEndAt: number;
  baselineWindow: Window;
  origin: BaselineOrigin;
  baseline: Reading;
  direction: 'up' | 'down';
}

/** The alert of a series that was never judged before. */
export function newAlert(key: AlertKey, ruleHash: string, judgedThroughAt: number): Alert {
  return {
    ...key,
    ruleHash,
    state: 'normal',
    stateSinceAt: judgedThroughAt,
    judgedThroughAt,
    recent: [],
    fired: null,
    suspected: null,
    incidents: [],
    health: { kind: 'ok' },
    last: null,
    owed: {},
    owedAt: null,
    leasedUntilAt: null,
    announced: [],
    revision: 0,
  };
}

/** Identifies one message: whoever repeats the same work owes the same debt. */
export function debtKey(alert: AlertKey, debt: Pick<Debt, 'windowEndAt' | 'transition' | 'channel'>): string {
  const windowEnd = new Date(debt.windowEndAt).toISOString();
  return [alert.ruleId, alert.segment ?? '', windowEnd, debt.transition, debt.channel].join('#');
}
