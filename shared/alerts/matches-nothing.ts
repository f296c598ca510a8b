import * as z from 'zod';
import type { FigureRule } from '../rules/rule.ts';
import { endAfter, type Grain, type Window } from '../time/window.ts';
import { HOUR_MS } from '../units/durations.ts';

/**
 * Windows without a value after which the owner of a new rule is notified. By the hour they reach over a weekend, by
 * the day over each day of the week: an event that only comes on some days has had its chance by then.
 */
const NOTIFY_AFTER: Record<Grain, number> = { hour: 72, day: 7, week: 3, month: 2 };

/** The same for a rule that only fires on a rise, such as one of errors: 0 may be what it hopes for. */
const NOTIFY_OF_RISES_AFTER: Record<Grain, number> = { hour: 720, day: 30, week: 5, month: 2 };

/** As long without a value, a rule that once had values counts as one that matches nothing. */
export const MATCH_DAYS = 30;
const MATCH_MS = MATCH_DAYS * 86_400_000;

/**
 * A window that is evaluated later than this waited for data, so the app may have sent nothing in it. A day may wait for
 * the second run after it: a small app is still asleep at the first.
 */
const LATE_HOURS: Record<Grain, number> = { hour: 3, day: 48, week: 24, month: 24 };

export const unmatchedSchema = z.object({
  /** Start of the first of them; the deployment of a rule that is new. */
  sinceAt: z.number(),
  /** How many of them were evaluated in time. */
  windows: z.number(),
  /** Whether the rule has had no value since it was deployed. */
  isNew: z.boolean(),
  /** Whether its owner was notified. */
  notified: z.boolean(),
});
/** The windows in a row in which a rule had no value. */
export type Unmatched = z.infer<typeof unmatchedSchema>;

type Watching = Pick<FigureRule, 'window' | 'zone' | 'settle' | 'fire'>;

/** One evaluated window of a rule. `isAgain`: it was evaluated before and has been read again. */
export interface EvaluatedRun {
  window: Window;
  hasValue: boolean;
  /** When it was evaluated. */
  at: number;
  isAgain: boolean;
}

export function newlyDeployed(at: number): Unmatched {
  return { sinceAt: at, windows: 0, isNew: true, notified: false };
}

/** What is known after these windows, oldest first; `null` while the rule has values. */
export function afterRuns(
  before: Unmatched | null,
  runs: readonly EvaluatedRun[],
  rule: Watching,
): Unmatched | null {
  return runs.reduce<Unmatched | null>((unmatched, { window, hasValue, at, isAgain }) => {
    if (hasValue) return unmatched && window.endAt <= unmatched.sinceAt ? unmatched : null;
    if (isAgain) return unmatched;
    const first = { sinceAt: window.startAt, windows: 0, isNew: false, notified: false };
    const { windows, ...streak } = unmatched ?? first;
    return { ...streak, windows: windows + (isInTime(window, at, rule) ? 1 : 0) };
  }, before);
}

/** Whether `window` was evaluated early enough after its end for the app to have sent data in it. */
export function isInTime({ endAt }: Window, at: number, { window: grain, settle }: Watching): boolean {
  return at - endAt <= LATE_HOURS[grain] * HOUR_MS + settle * 60_000;
}

/** Whether the owner of a new rule is to be notified that it has had no value for long enough. */
export function isDue(unmatched: Unmatched | null, rule: Watching): unmatched is Unmatched {
  return isNewAndUnnotified(unmatched) && unmatched.windows >= notifyAfter(rule);
}

/** The same at `at` for an app that has not sent anything: as many windows have ended, and none could be evaluated. */
export function isDueUnsent(unmatched: Unmatched | null, rule: Watching, at: number): boolean {
  if (!isNewAndUnnotified(unmatched)) return false;
  const { window: grain, zone, settle } = rule;
  return at >= endAfter(unmatched.sinceAt, notifyAfter(rule), { grain, zone }) + settle * 60_000;
}

function isNewAndUnnotified(unmatched: Unmatched | null): unmatched is Unmatched {
  return unmatched?.isNew === true && !unmatched.notified;
}

function notifyAfter({ window, fire }: Watching): number {
  return (firesOnRisesOnly(fire) ? NOTIFY_OF_RISES_AFTER : NOTIFY_AFTER)[window];
}

function firesOnRisesOnly(fire: FigureRule['fire']): boolean {
  const sides = Object.values(fire ?? {}).filter((side) => side !== undefined);
  return sides.length > 0 && sides.every(({ below }) => below === undefined);
}

/** Since when the rule matches nothing, as far as is known at `at`; `undefined` where that says nothing of the rule. */
export function unmatchedSince(unmatched: Unmatched | null, at: number): number | undefined {
  if (!unmatched) return undefined;
  return unmatched.notified || at - unmatched.sinceAt >= MATCH_MS ? unmatched.sinceAt : undefined;
}
