import { plannedRuns } from '../planning/planned-runs.ts';
import type { FigureRule, Rule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import { cadenceName, nextRun } from '../time/cadence.ts';
import { dateAt, type Grain, lastClosedWindow } from '../time/window.ts';
import { MINUTE_MS } from '../units/durations.ts';
import type { Remark } from './findings.ts';

const WINDOW_MINUTES: Record<Grain, number> = { hour: 60, day: 1440, week: 10_080, month: 40_320 };

/** Enough for the shortest cadence, 5 minutes, to reach a new hour twice. */
const RUNS_CHECKED = 25;

/** Findings about the times of runs and of windows, for rules of any kind. */
export function timingRemarks(rule: Rule, now: number): Remark[] {
  return [...settleRemarks(rule, now), ...pastHolidayRemarks(rule, now)];
}

/** Comparisons with the window before that ignore the weekly shape of counts. */
export function shapeRemarks(rule: FigureRule): Remark[] {
  const { window, baseline, compare } = rule;
  const hasShape = metricOf(rule).kind === 'count' && (window === 'hour' || window === 'day');
  if (!hasShape || baseline.to !== 'previous_period') return [];
  const like =
    window === 'day'
      ? 'Mondays look like a rise and Saturdays like a fall'
      : 'each morning looks like a rise';
  return [
    {
      code: 'weekly-shape',
      path: [compare ? 'compare' : 'id'],
      message: `compared with the ${window} before, ${like}; use same_weekday`,
    },
  ];
}

function settleRemarks(rule: Rule, now: number): Remark[] {
  const { window, settle } = rule;
  if (settle >= WINDOW_MINUTES[window])
    return [
      {
        code: 'window-shorter-than-settle',
        path: ['settle'],
        message: `"settle" (${durationText(settle)}) is not shorter than the ${window} that is evaluated, so each message comes at least one window late; use longer windows or a shorter "settle", as "restate_for" corrects for late data`,
      },
    ];
  const late = latenessOf(rule, now);
  return late ? [lateRemark(rule, late)] : [];
}

interface Late {
  /** Minutes from the end of a window to the first run after it, and to the run that evaluates it. */
  first: number;
  evaluated: number;
}

// Thousands of rules share a few cadences.
const knownLateness = new Map<string, Late | undefined>();

/** How late windows are evaluated, if every such run leaves a window that has closed but not settled. */
function latenessOf(rule: Rule, now: number): Late | undefined {
  const { cadence, window, zone, settle } = rule;
  const key = [cadenceName(cadence), window, zone, settle, now].join(' ');
  if (!knownLateness.has(key)) knownLateness.set(key, findLateness(rule, now));
  return knownLateness.get(key);
}

function findLateness(rule: Rule, now: number): Late | undefined {
  const { cadence } = rule;
  const calendar = { grain: rule.window, zone: rule.zone };
  const runs = plannedRuns(rule, now, RUNS_CHECKED).flatMap(({ at, windows }) => {
    const last = windows.at(-1);
    return last ? [{ at, evaluated: last.endAt, closed: lastClosedWindow(at, calendar).endAt }] : [];
  });
  const [run] = runs;
  const following = nextRun(cadence, now);
  const apart = (nextRun(cadence, following) - following) / MINUTE_MS;
  // Several runs per window: the first run after it has settled is as early as possible.
  if (apart < WINDOW_MINUTES[rule.window]) return undefined;
  if (!run || runs.some(({ evaluated, closed }) => evaluated === closed)) return undefined;
  return { first: (run.at - run.closed) / MINUTE_MS, evaluated: (run.at - run.evaluated) / MINUTE_MS };
}

function lateRemark({ window, settle }: Rule, { first, evaluated }: Late): Remark {
  const from = durationText(first);
  return {
    code: 'evaluated-late',
    path: ['every'],
    message: `the first run after ${aWindow(window)} comes ${from} after its end, but "settle" is ${durationText(settle)}, so a later run evaluates it, ${durationText(evaluated)} after its end; use a later "every" or a shorter "settle"`,
  };
}

/** Listed holidays that are all in the past. A country has holidays in every year. */
function pastHolidayRemarks({ holidays, zone }: Rule, now: number): Remark[] {
  const last = holidays?.country === undefined ? holidays?.days.toSorted().at(-1) : undefined;
  if (last === undefined || last >= dateAt(now, zone)) return [];
  return [
    {
      code: 'holidays-past',
      path: ['holidays', 'days'],
      message: `all of these days are in the past, the last was ${last}; add future days or a "country"`,
    },
  ];
}
/** "an hour", "a day". */
function aWindow(window: Grain): string {
  return window === 'hour' ? 'an hour' : `a ${window}`;
}

/** 80 as "80 minutes", 120 as "2 hours", 1445 as "24 hours and 5 minutes". */
function durationText(minutes: number): string {
  const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;
  const whole = Math.round(minutes);
  if (whole > 0 && whole % 1440 === 0) return counted(whole / 1440, 'day');
  if (whole > 0 && whole % 60 === 0) return counted(whole / 60, 'hour');
  if (whole < 120) return counted(whole, 'minute');
  return `${counted(Math.floor(whole / 60), 'hour')} and ${counted(whole % 60, 'minute')}`;
}
