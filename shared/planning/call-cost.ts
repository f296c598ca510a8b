import { questionsFor } from '../readings/computed-questions.ts';
import { PAGE_ROWS } from '../readings/read-requests.ts';
import { questionFor, segmentsIn, seriesOf } from '../readings/series.ts';
import type { FigureRule } from '../rules/rule.ts';
import { type Cadence, cadenceName, nextRun } from '../time/cadence.ts';
import type { Grain } from '../time/window.ts';
import { WEEK_MS } from '../units/durations.ts';

/** Most attributes have few values with events in one window. */
const LIKELY_SEGMENTS = 5;

/** The calls that rules of one family need. */
export interface RunningCost {
  rules: FigureRule[];
  /** Calls for each new window, including those to read it again. */
  callsPerRun: number;
  /** The part of the runs that have a new window: those of a rule on days that runs every hour are one in 24. */
  shareOfRuns: number;
  /** Calls per day, including those to read windows again. */
  callsPerDay: number;
}

const WINDOWS_PER_DAY: Record<Grain, number> = { hour: 24, day: 1, week: 1 / 7, month: 12 / 365 };

/** The cost of each family of `rules`. The history of new rules is read with spare calls, which do not count. */
export function runningCosts(rules: FigureRule[], runsOf: RunsOf): RunningCost[] {
  const families = Map.groupBy(rules, (rule) => seriesOf(rule).family);
  return [...families.values()].map((members) => {
    // Each window is read a second time when it can no longer change.
    const readings = members.some(({ restate_for }) => restate_for > 0) ? 2 : 1;
    const callsPerRun = callsPerQuestion(members) * readings;
    return { rules: members, callsPerRun, ...runsWithWindows(members, runsOf, callsPerRun) };
  });
}

/** Calls per day for the figures of these rules and the newest event of their apps, without those for drivers. */
export function callsPerDay(costs: RunningCost[], runsOf: RunsOf): number {
  const rules = costs.flatMap((cost) => cost.rules);
  const together = Map.groupBy(rules, ({ app, cadence }) => JSON.stringify([app, cadenceName(cadence)]));
  const perDay = [
    ...costs.map((cost) => cost.callsPerDay),
    ...[...together.values()].map((each) => runsWithWindows(each, runsOf, 1).callsPerDay),
  ];
  return perDay.reduce((sum, calls) => sum + calls, 0);
}

/** The runs of a cadence within a week. Remembered, as thousands of rules share a few cadences. */
export type RunsOf = (cadence: Cadence) => number[];

export function runsWithinAWeek(now: number): RunsOf {
  const known = new Map<string, number[]>();
  return (cadence) => {
    const name = cadenceName(cadence);
    const remembered = known.get(name);
    if (remembered) return remembered;
    const runs: number[] = [];
    for (let at = nextRun(cadence, now); at <= now + WEEK_MS; at = nextRun(cadence, at)) runs.push(at);
    known.set(name, runs);
    return runs;
  };
}

/** The likely calls for one question about a window and the one before it, for rules of one family. */
export function callsPerQuestion(rules: FigureRule[]): number {
  // Services may not compare users with the window before, and never compare funnels: it needs a call of its own.
  const isCompared = rules.map(seriesOf).every(({ endpoint, funnel }) => endpoint !== 'user' && !funnel);
  return questionsOf(rules) * Math.ceil(rowsPerWindow(rules) / PAGE_ROWS) * (isCompared ? 1 : 2);
}

/** The questions in which a computed metric is asked for; 1 for all others. */
function questionsOf([rule]: FigureRule[]): number {
  if (!rule || !seriesOf(rule).parts) return 1;
  return questionsFor(questionFor([rule], { startAt: 0, endAt: 0 })).length;
}

function rowsPerWindow(rules: FigureRule[]): number {
  const series = rules.map((rule) => seriesOf(rule));
  const names = Math.max(1, new Set(series.flatMap(({ eventNames }) => eventNames)).size);
  const segments = series[0] ? segmentsIn(series[0]) : 1;
  return names * Math.min(segments, LIKELY_SEGMENTS + 1);
}

/** The runs that have a new window, and their calls. Rules of one cadence run together. */
function runsWithWindows(
  rules: FigureRule[],
  runsOf: RunsOf,
  callsPerRun: number,
): Pick<RunningCost, 'shareOfRuns' | 'callsPerDay'> {
  const cadences = new Map(rules.map(({ cadence }) => [cadenceName(cadence), cadence]));
  const runs = new Set([...cadences.values()].flatMap(runsOf)).size;
  const windows = Math.max(0, ...rules.map(({ window }) => WINDOWS_PER_DAY[window]));
  return {
    // The only run of a week has a new window, also if a month has just ended.
    shareOfRuns: runs > 1 ? Math.min(1, (7 * windows) / runs) : 1,
    callsPerDay: Math.min(Math.max(runs / 7, 1 / 31), windows) * callsPerRun,
  };
}
