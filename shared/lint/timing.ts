import { plannedRuns } from '../planning/plan.ts';
import type { FigureRule, Rule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import { counted } from '../text/counted.ts';
import { cadenceName, nextRun } from '../time/cadence.ts';
import { type Grain, lastClosedWindow } from '../time/window.ts';
import { MINUTE_MS } from '../units/durations.ts';
import type { Remark } from './findings.ts';

const WINDOW_MINUTES: Record<Grain, number> = { hour: 60, day: 1440, week: 10_080, month: 40_320 };

/** Enough for a cadence to reach a new window twice. */
const RUNS_CHECKED = 25;

/** Comparisons with the window before that ignore the weekly shape of counts. */
export function shapeRemarks(rule: FigureRule): Remark[] {
  const { window, baseline, compare } = rule;
  const hasShape = metricOf(rule).kind === 'count' && (window === 'hour' || window === 'day');
  if (!hasShape || baseline.to !== 'previous_period') return [];
  const like =
    window === 'day'
      ? 'Mondays look like a rise and Saturdays like a fall'
      : 'each morning looks like a rise';
  const message = `compared with the ${window} before, ${like}; use same_weekday`;
  return [{ code: 'weekly-shape', path: [compare ? 'compare' : 'id'], message }];
}

/** Windows that are evaluated late, for rules of any kind. */
export function timingRemarks(rule: Rule, now: number): Remark[] {
  const { window, settle, within } = rule;
  // The users of a window need that long.
  if (settle === within) return [];
  if (settle >= WINDOW_MINUTES[window]) {
    const message = `"settle" (${durationText(settle)}) is not shorter than the ${window} that is evaluated, so each message comes at least one window late; use longer windows or a shorter "settle", as "restate_for" corrects for late data`;
    return [{ code: 'window-shorter-than-settle', path: ['settle'], message }];
  }
  const wait = earlyRunOf(rule, now);
  if (wait === undefined) return [];
  const message = `the first run after ${window === 'hour' ? 'an' : 'a'} ${window} comes ${durationText(wait)} after its end, but "settle" is ${durationText(settle)}, so the run after that evaluates it; use a later "every" or a shorter "settle"`;
  return [{ code: 'evaluated-late', path: ['every'], message }];
}

// Thousands of rules share a few cadences.
const knownWaits = new Map<string, number | undefined>();

/** Minutes from a window to the first run after it, if each such run finds the window closed but not settled. */
function earlyRunOf(rule: Rule, now: number): number | undefined {
  const { cadence, window, zone, settle } = rule;
  const key = [cadenceName(cadence), window, zone, settle, now].join(' ');
  if (!knownWaits.has(key)) knownWaits.set(key, findEarlyRun(rule, now));
  return knownWaits.get(key);
}

function findEarlyRun(rule: Rule, now: number): number | undefined {
  const { cadence, window, zone } = rule;
  const following = nextRun(cadence, now);
  const apart = (nextRun(cadence, following) - following) / MINUTE_MS;
  // Several runs per window: the first run after it has settled is as early as possible.
  if (apart < WINDOW_MINUTES[window]) return undefined;
  const runs = plannedRuns(rule, now, RUNS_CHECKED).flatMap(({ at, windows }) => {
    const last = windows.at(-1);
    return last
      ? [{ at, evaluated: last.endAt, closed: lastClosedWindow(at, { grain: window, zone }).endAt }]
      : [];
  });
  const [run] = runs;
  if (!run || runs.some(({ evaluated, closed }) => evaluated === closed)) return undefined;
  return (run.at - run.closed) / MINUTE_MS;
}

/** 80 as "80 minutes", 120 as "2 hours". */
function durationText(minutes: number): string {
  return minutes > 0 && minutes % 60 === 0 ? counted(minutes / 60, 'hour') : counted(minutes, 'minute');
}
