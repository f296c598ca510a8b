import type { Rule } from '../rules/rule.ts';
import { type Cadence, longestBreakHours, nextRun } from '../time/cadence.ts';
import type { Window } from '../time/window.ts';
import { dueWindows } from './plan.ts';

/** A future run with the windows that it will evaluate, oldest first. Empty if no new window has settled. */
export interface PlannedRun {
  at: number;
  windows: Window[];
}

/** The next `count` runs of `rule` after `after`, assuming that no earlier run was missed. */
export function plannedRuns(rule: Rule, after: number, count: number): PlannedRun[] {
  let at = lastRun(rule.cadence, after);
  let [latest] = dueWindows(rule, at, undefined);
  return Array.from({ length: count }, () => {
    at = nextRun(rule.cadence, at);
    const windows = dueWindows(rule, at, latest?.endAt);
    latest = windows.at(-1) ?? latest;
    return { at, windows };
  });
}

/** The last run at or before `through`. */
function lastRun(cadence: Cadence, through: number): number {
  // Twice the break and more: a clock change may skip one run and add an hour.
  const breaksHours = 2 * (longestBreakHours(cadence) ?? 0) + 2;
  let run = nextRun(cadence, through - breaksHours * 3_600_000);
  for (let next = run; next <= through; next = nextRun(cadence, next)) run = next;
  return run;
}
