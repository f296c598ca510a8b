import type { Rule } from '../rules/rule.ts';
import { type Cadence, longestBreakHours, nextRun } from '../time/cadence.ts';
import type { Window } from '../time/window.ts';
import { dueWindows } from './plan.ts';

/** A run to come, with the windows that it will judge, oldest first; none where no further one has settled. */
export interface PlannedRun {
  at: number;
  windows: Window[];
}

/** The next `count` runs of `rule` after `after`, for a rule that was looked at whenever it should have been. */
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
  // Twice the break, and more: clocks that change may leave one run out, and add an hour.
  const breaksHours = 2 * (longestBreakHours(cadence) ?? 0) + 2;
  let run = nextRun(cadence, through - breaksHours * 3_600_000);
  for (let next = run; next <= through; next = nextRun(cadence, next)) run = next;
  return run;
}
