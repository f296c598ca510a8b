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

/** What rules of one family cost the service: calls, at most, as the number of segments is not known before. */
export interface HistoryCost {
  rules: FigureRule[];
  /** Calls for the past, where the service parts figures by time buckets. */
  calls: number;
  /** Calls for the past, where each window is asked for by itself. */
  callsOneByOne: number;
  /** How long these take from spare calls alone. */
  hoursOneByOne: number;
  /** Calls whenever a new window is looked at, those to read it again included. */
  callsPerRun: number;
  /** Calls a day for its figures from then on, those to read each window again included. */
  callsPerDay: number;
}

const WINDOWS_PER_DAY: Record<Grain, number> = { hour: 24, day: 1, week: 1 / 7, month: 12 / 365 };
const WEEK_MS = 7 * 86_400_000;

/** The cost of each family of `rules` that begins at `now`, for an app that may be asked `perHour` times an hour. */
export function historyCosts(rules: FigureRule[], now: number, perHour: number): HistoryCost[] {
  const families = Map.groupBy(rules, (rule) => seriesOf(rule).family);
  const runsOf = runsWithinAWeek(now);
  return [...families.values()].map((members) => costOf(members, { now, perHour, runsOf }));
}

/**
 * Calls a day for the figures that rules of these costs look at, and to learn how far the data of their apps reach. What
 * drove a fire is asked for besides.
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

/** The times at which a cadence runs; thousands of rules share a handful of cadences. */
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
  // Each window is read again when it can change no more.
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

/** Calls, at most, for one question about a window and the one before it, of rules of one family. */
export function callsPerQuestion(rules: FigureRule[]): number {
  const rows = rowsPerWindow(rules);
  // Services may compare neither users nor groups with the window before, which is then a call of its own.
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

/** How often a day a look finds a new window: rules of one cadence look together. */
function runsPerDay(rules: FigureRule[], runsOf: RunsOf): number {
  const cadences = new Map(rules.map(({ cadence }) => [cadenceName(cadence), cadence]));
  const runs = new Set([...cadences.values()].flatMap(runsOf));
  const windows = Math.max(0, ...rules.map(({ window }) => WINDOWS_PER_DAY[window]));
  return Math.min(Math.max(runs.size / 7, 1 / 31), windows);
}
