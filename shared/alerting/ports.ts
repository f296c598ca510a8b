import type { Aggregation } from '../analytics/grouping.ts';
import type { Alert, AlertKey } from './alerts/alert.ts';
import type { OpenAlert } from './alerts/open-alert.ts';
import type { Deployment } from './deployments/deployment.ts';
import type { ItemLinks, Message, Owed } from './messages/message.ts';
import type { Routes } from './notifications/routes.ts';
import type { Silence } from './notifications/silences.ts';
import type { TestNotification } from './notifications/test-notification.ts';
import type { Piece, Tick } from './planning/plan.ts';
import type { CallBudget } from './readings/call-budget.ts';
import type { Question, RangeQuestion, ReadingRow, Sheet } from './readings/reading.ts';
import type { Rule } from './rules/rule.ts';

/** Rules and routes as they were deployed together. Immutable under its version. */
export interface RuleSet {
  version: string;
  rules: Rule[];
  routes: Routes;
  /** Ids of rules of it that cannot be read, and of those over them: they are left out of `rules`, but not removed. */
  unreadable?: string[];
}

export interface RuleStore {
  /**
   * The rule set in force; `undefined` before the first deployment. Rules that cannot be read are left out and named.
   * Throws `ConfigError` where its routes cannot be read.
   */
  loadCurrent(): Promise<RuleSet | undefined>;
  /** A rule set by its version. Throws `ConfigError` where there is none, or it cannot be read. */
  load(version: string): Promise<RuleSet>;
  /** Which one is in force, without reading it. */
  findCurrent(): Promise<InForce | undefined>;
  /**
   * Writes the whole set, then makes it the current one in one step; a set half written is never current. Throws
   * `ConflictError` where another was made current meanwhile, or is another than it is to replace. Where this very set is
   * current by then, nothing is left to do.
   */
  save(ruleSet: RuleSet, saving?: Saving): Promise<void>;
}

/** The rule set in force, since when and by whom; `null` of one that was put in force before that was kept. */
export interface InForce {
  version: string;
  sinceAt: number | null;
  /** `null` of one that came with a deployment, too. */
  by: string | null;
}

export interface Saving {
  /** The version that must be in force for this to take place; `null`: none. Any, where it is left out. */
  replacing?: string | null;
  at?: number;
  by?: string;
}

/** Keeps what the last deployment of the functions set up. */
export interface DeploymentStore {
  save(deployment: Deployment): Promise<void>;
  /** `undefined` before the first deployment that tells, and always on one machine, where nothing needs to be set up. */
  load(): Promise<Deployment | undefined>;
}

/** An alert that is stored, but not in a form that this version reads. */
export interface UnreadableAlert extends AlertKey {
  reason: string;
}

/**
 * Reading leaves out alerts that cannot be read, and calls `unreadable` with each. Such an alert is not a new one: nothing
 * is known of it, and saving it throws `UnreadableItemError`.
 */
export interface AlertStore {
  /** The alerts of these keys that exist, in no order. */
  load(keys: AlertKey[], unreadable?: (alert: UnreadableAlert) => void): Promise<Alert[]>;
  /** All alerts of one rule, its segments included. */
  loadOfRule(ruleId: string, unreadable?: (alert: UnreadableAlert) => void): Promise<Alert[]>;
  /**
   * Saves `alert` as revision `alert.revision + 1` if the stored one still is `alert.revision` (0: none is
   * stored), and returns it so. Throws `ConflictError` otherwise, changing nothing.
   */
  save(alert: Alert): Promise<Alert>;
  /** Alerts whose `owedAt` is at most `dueAt`, earliest first. */
  loadOwing(dueAt: number): Promise<Alert[]>;
  /** Alerts that are not at rest (see `isAtRest`), those of apps included, in no order; they may trail behind. */
  loadOpen(unreadable?: (alert: UnreadableAlert) => void): Promise<OpenAlert[]>;
}

export interface ReadingStore {
  /**
   * All sheets of the family whose window ends in `[from, through]`, in order of their windows; where `eventNames` are
   * given, without those that tell of other events alone.
   */
  load(
    family: string,
    range: { fromEndAt: number; throughEndAt: number },
    eventNames?: string[],
  ): Promise<Sheet[]>;
  /** Keeps a sheet. The first one kept of a family, window, `rereadAt` and set of event names and keys stays as it is. */
  save(sheet: Sheet): Promise<void>;
}

/** When a cadence last ran; the name of a cadence outlives its rules. */
export interface LastTick {
  cadence: string;
  tick: Tick['id'];
  scheduledAt: number;
}

/** What runs leave for one another: how far a tick is, what calls were spent, how fresh an app's data is. */
export interface RunStore {
  /** Records that a tick was planned with these pieces; again is harmless. */
  saveTick(tick: Tick): Promise<void>;
  /** The last tick planned of each cadence that ever had one, in no order. */
  loadLastTicks(): Promise<LastTick[]>;
  finishPiece(tick: Tick['id'], pieceId: string): Promise<void>;
  /** Whether every piece of the tick is finished; `false` for an unknown tick. */
  isTickComplete(tick: Tick['id']): Promise<boolean>;
  /**
   * Takes the turn at what only one does at a time; `false` while somebody has it. It ends at `untilAt`, should its
   * taker never give it back.
   */
  takeTurn(name: string, now: number, untilAt: number): Promise<boolean>;
  /** Ends the turn that was taken until `untilAt`; one that somebody took since stays. */
  giveBackTurn(name: string, untilAt: number): Promise<void>;
  /** Takes `calls` from what `app` may still spend in the hour of `at`; `false` (and nothing taken) if too few are left. */
  takeCalls(app: string, at: number, calls: number, perHour: number): Promise<boolean>;
  /** The calls taken in the hour of `at`; `Infinity` where the count cannot be read, for then none are left. */
  loadCalls(app: string, at: number): Promise<number>;
  /** The newest event seen of an app by any run; `undefined` if none looked yet. */
  loadNewestEventAt(app: string): Promise<number | undefined>;
  saveNewestEventAt(app: string, at: number): Promise<void>;
}

/**
 * An expected failure is a value: it becomes the verdict `failed` or `inconclusive`, never "clear". `isRefusal`: this
 * question was refused; one about other metrics may be answered.
 */
export type ReadResult<T> =
  | { kind: 'read'; value: T }
  /** `retryable`: the service is in trouble, and other questions will fare no better now. */
  | { kind: 'failed'; reason: string; retryable: boolean; isRefusal?: true }
  | { kind: 'budget-spent'; reason: string };

/** `unsupported`: this service does not part figures by the windows asked for, and each must be asked for by itself. */
export type RangeResult = ReadResult<ReadingRow[][]> | { kind: 'unsupported'; reason: string };

/** How a source comes by the figures of a metric. */
export type Means =
  | { kind: 'asked' }
  | { kind: 'derived'; how: string }
  | { kind: 'refused'; reason: string };

export interface MetricSource {
  /** Every row of the answer, with figures of both windows. */
  read(question: Question, budget?: CallBudget): Promise<ReadResult<ReadingRow[]>>;
  /** The rows of each window, in the order of the windows, with `current` figures alone; rows of nothing left out. */
  readRange(question: RangeQuestion, budget?: CallBudget): Promise<RangeResult>;
  /** When the app's newest event after `since` was recorded; `null` if there is none. */
  readNewestEventAt(app: string, since: number): Promise<ReadResult<number | null>>;
  /** How it comes by a metric that it was asked for; `undefined` of one that was not, or brought no rows yet. */
  meansFor?(asked: Pick<Question, 'app' | 'endpoint'>, aggregation: Aggregation): Means | undefined;
  /** How many requests it has sent, retries and further pages included; a source without it sends none. */
  callsMade?(): number;
}

/**
 * `permanent`: sending the same again cannot help until a person changes something. `sentKeys`: where a channel takes
 * items one by one, those that got through before.
 */
export interface Refusal {
  kind: 'refused';
  reason: string;
  permanent: boolean;
  retryAfterMs?: number;
  sentKeys?: string[];
}

/** `kept`: it was taken, and sent nowhere, because of `reason`. */
export type SendResult = { kind: 'sent' } | { kind: 'kept'; reason: string } | Refusal;

export interface Channel {
  /** How many items it takes of one sweep, where each is sent by itself; without it, any number. */
  takes?: number;
  send(message: Message): Promise<SendResult>;
}

/** Makes the addresses that messages carry. */
export interface MessageLinks {
  overviewUrl: string;
  linksFor(owed: Owed): Promise<ItemLinks>;
}

export interface SilenceStore {
  save(silence: Silence): Promise<void>;
  /** Those that are over included, as long as they are kept: 30 days; in no order. */
  loadAll(): Promise<Silence[]>;
}

/** One attempt to send one message, for people to read. */
export interface Delivery {
  at: number;
  channel: string;
  route: string;
  title: string;
  /** Alerts that the message told of, and the keys of the first ones (20 at most). */
  alerts: number;
  keys: string[];
  outcome:
    | { kind: 'sent' }
    | { kind: 'kept'; reason: string }
    | { kind: 'failed'; reason: string; permanent: boolean };
}

export interface DeliveryLog {
  save(delivery: Delivery): Promise<void>;
  /** The newest first; kept for 30 days. */
  loadLast(count: number): Promise<Delivery[]>;
}

/** Test notifications that somebody asked announce to send, and what became of them; kept for an hour. */
export interface TestNotificationStore {
  save(test: TestNotification): Promise<void>;
  load(id: string): Promise<TestNotification | undefined>;
  /** Those that are pending, marked as taken: each is given to one taker only. */
  takePending(now: number): Promise<TestNotification[]>;
}

/** Where pieces of work wait. Delivered at least once. */
export interface Queue<T> {
  send(items: T[]): Promise<void>;
}

export type PieceQueue = Queue<Piece>;

/** A nudge to announce what a tick left owed; it may be lost, the sweep finds everything. */
export type NudgeQueue = Queue<{ tick: Tick['id'] }>;
