import type { Rule } from '../shared/rules/rule.ts';
import type { Millis } from '../shared/runtime/clock.ts';
import { cadenceName } from '../shared/time/cadence.ts';
import { lastClosedWindow } from '../shared/time/window.ts';
import { type Run, runsBetween } from './system.ts';

/** A run of the rules whose apps already have data. */
export interface BegunRun extends Run {
  isAsked: (rule: Rule) => boolean;
}

/**
 * Runs in `(after, through]` with a window to evaluate, of rules whose app had data by the end of that window.
 * `beginsAt` gives the time of the first data of an app; `undefined` if unknown.
 */
export function* begunRuns(
  rules: Rule[],
  { after, through }: { after: Millis; through: Millis },
  beginsAt: (app: string) => Millis | undefined,
): Generator<BegunRun> {
  const byCadence = Map.groupBy(rules, ({ cadence }) => cadenceName(cadence));
  for (const run of runsBetween(rules, after, through)) {
    const isAsked = (rule: Rule) => isBegun(rule, run.at, beginsAt(rule.app));
    if (byCadence.get(run.cadence)?.some(isAsked)) yield { ...run, isAsked };
  }
}

function isBegun({ settle, window: grain, zone }: Rule, at: Millis, beginsAt = -Infinity): boolean {
  return lastClosedWindow(at - settle * 60_000, { grain, zone }).endAt > beginsAt;
}
