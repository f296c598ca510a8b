import { callsWithin } from '../readings/call-budget.ts';
import { History } from '../readings/history.ts';
import { PAGE_ROWS, readRequestsFor } from '../readings/read-requests.ts';
import { seriesOf } from '../readings/series.ts';
import type { FigureRule } from '../rules/rule.ts';
import { type Cadence, cadenceName, nextRun } from '../time/cadence.ts';
import { CalendarWindows } from '../time/calendar-windows.ts';
import type { Grain } from '../time/window.ts';
import { dueWindows } from './plan.ts';
import { helpfulReadings } from './wanted-readings.ts';

/** The calls that rules of one family need, at most: the number of segments is not known in advance. */
export interface HistoryCost {
  rules: FigureRule[];
  /** Calls for the history, if the service supports time buckets. */
  calls: number;
  /** Calls for the history, if each window needs its own request. */
  callsOneByOne: number;
  /** Hours that these take with spare calls only. */
  hoursOneByOne: number;
  /** Calls for each new window, including those to read it again. */
  callsPerRun: number;
  /** Calls per day after that, including those to read windows again. */
  callsPerDay: number;
}

const WINDOWS_PER_DAY: Record<Grain, number> = { hour: 24, day: 1, week: 1 / 7, month: 12 / 365 };
const WEEK_MS = 7 * 86_400_000;

/** The cost of each family of `rules` that starts at `now`. `perHour`: the calls that the service allows for the app. */
export function historyCosts(rules: FigureRule[], now: number, perHour: number): HistoryCost[] {
  const families = Map.groupBy(rules, (rule) => seriesOf(rule).family);
  const runsOf = runsWithinAWeek(now);
  return [...families.values()].map((members) => costOf(members, { now, perHour, runsOf }));
}

/**
 * Calls per day for the figures of these rules, and for the newest event of their apps. Calls for the drivers of an
 * alert are not included.
 */
export function callsPerDay(costs: HistoryCost[], now: number): number {
  const rules = costs.flatMap((cost) => cost.rules);
  const together = Map.groupBy(rules, ({ app, cadence }) => JSON.stringify([app, cadenceName(cadence)]));
  const runsOf = runsWithinAWeek(now);
  const perDay = [
    ...costs.map((cost) => cost.callsPerDay),
    ...[...together.values()].map((each) => runsPerDay(each, runsOf)),
  ];
  return perDay.reduce((sum, calls) => sum + calls, 0);
}

/** The runs of a cadence within a week. Remembered, as thousands of rules share a few cadences. */
type RunsOf = (cadence: Cadence) => number[];

function runsWithinAWeek(now: number): RunsOf {
  const known = new Map<string, number[]>();
  return (cadence) => {
    const name = cadenceName(cadence);
    const runs = known.get(name) ?? [];
    if (runs.length > 0) return runs;
    for (let at = nextRun(cadence, now); at <= now + WEEK_MS; at = nextRun(cadence, at)) runs.push(at);
    known.set(name, runs);
    return runs;
  };
}

function costOf(
  rules: FigureRule[],
  { now, perHour, runsOf }: { now: number; perHour: number; runsOf: RunsOf },
): HistoryCost {
  const series = rules.map((rule) => seriesOf(rule));
  const [first] = series;
  if (!first) throw new RangeError('a family has rules');
  const calendarWindows = new CalendarWindows(first.calendar);
  const needs = rules.map((rule) => {
    const windows = dueWindows(rule, nextRun(rule.cadence, now), undefined);
    return { rule, windows, memories: [], again: [] };
  });
  const wanted = helpfulReadings(needs, new History([]), calendarWindows);
  const rowsEach = rowsPerWindow(rules);
  const readRequests = readRequestsFor(wanted, rowsEach, calendarWindows);
  // Each window is read a second time when it can no longer change.
  const readings = rules.some(({ restate_for }) => restate_for > 0) ? 2 : 1;
  const callsPerWindow = callsPerQuestion(rules);
  const callsOneByOne = wanted.length * callsPerWindow;
  return {
    rules,
    calls: readRequests.reduce((sum, { windows }) => sum + pagesOf(windows.length * rowsEach), 0),
    callsOneByOne,
    hoursOneByOne: callsOneByOne / callsWithin('spare', perHour),
    callsPerRun: callsPerWindow * readings,
    callsPerDay: runsPerDay(rules, runsOf) * callsPerWindow * readings,
  };
}

/** The most calls for one question about a window and the one before it, for rules of one family. */
export function callsPerQuestion(rules: FigureRule[]): number {
  const rows = rowsPerWindow(rules);
  // Services may not compare users or groups with the window before, which then needs its own call.
  const isCompared = rows === 1 && rules.every((rule) => seriesOf(rule).endpoint !== 'user');
  return pagesOf(rows) * (isCompared ? 1 : 2);
}

function rowsPerWindow(rules: FigureRule[]): number {
  const series = rules.map((rule) => seriesOf(rule));
  const names = Math.max(1, new Set(series.flatMap(({ eventNames }) => eventNames)).size);
  return names * ((series[0]?.segmentBy?.max_group_number ?? 0) + 1);
}

function pagesOf(rows: number): number {
  return Math.ceil(rows / PAGE_ROWS);
}

/** The number of runs per day that have a new window. Rules of one cadence run together. */
function runsPerDay(rules: FigureRule[], runsOf: RunsOf): number {
  const cadences = new Map(rules.map(({ cadence }) => [cadenceName(cadence), cadence]));
  const runs = new Set([...cadences.values()].flatMap(runsOf));
  const windows = Math.max(0, ...rules.map(({ window }) => WINDOWS_PER_DAY[window]));
  return Math.min(Math.max(runs.size / 7, 1 / 31), windows);
}
