import { callsPerDay, type HistoryCost, historyCosts } from '../planning/history-cost.ts';
import type { FigureRule, Rule } from '../rules/rule.ts';
import { cadenceName, nextRun } from '../time/cadence.ts';
import { aboutRule, type Finding } from './findings.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Apps whose rules together need more calls than the service allows. `perHour` is its limit for each app. */
export function budgetFindings(rules: Rule[], now: number, perHour: number): Finding[] {
  const figureRules = rules.filter((rule): rule is FigureRule => rule.members === undefined);
  return [...Map.groupBy(figureRules, ({ app }) => app)].flatMap(([app, ofApp]) => {
    const costs = historyCosts(ofApp, now, perHour);
    const [dearest] = costs.toSorted((a, b) => b.callsPerDay - a.callsPerDay);
    const [rule] = dearest?.rules ?? [];
    if (!rule) return [];
    const perDay = Math.ceil(callsPerDay(costs, now));
    if (perDay > 24 * perHour) {
      const message = `the rules of ${app} need ${perDay} calls a day, and the service allows ${24 * perHour}, so the least severe ones are not evaluated; this rule and others like it need the most`;
      return aboutRule(rule.id, [{ code: 'calls-over-budget', path: ['id'], message }]);
    }
    const busiest = busiestHour(costs, now);
    if (busiest <= perHour) return [];
    const message = `the rules of ${app} need ${busiest} calls within one hour, and the service allows ${perHour}, so the least severe ones wait for the next; run some at another time, or use the same filters so that rules share calls`;
    return aboutRule(rule.id, [{ code: 'calls-at-once', path: ['every'], message }]);
  });
}

/** The calls of the busiest hour within the next day. */
function busiestHour(costs: HistoryCost[], now: number): number {
  const hours = new Map<number, number>();
  for (const { rules, callsPerRun, callsPerDay } of costs) {
    const hoursOfRuns = new Set(rules.flatMap((rule) => hoursWithRuns(rule, now)));
    // A rule on days that runs every hour has a new window in only one of the runs.
    const each = Math.min(callsPerRun, callsPerDay / hoursOfRuns.size);
    for (const hour of hoursOfRuns) hours.set(hour, (hours.get(hour) ?? 0) + each);
  }
  return Math.ceil(Math.max(0, ...hours.values()));
}

const knownHours = new Map<string, number[]>();

function hoursWithRuns({ cadence }: FigureRule, now: number): number[] {
  const key = `${cadenceName(cadence)} ${now}`;
  const known = knownHours.get(key);
  if (known) return known;
  const hours = new Set<number>();
  for (let at = nextRun(cadence, now); at <= now + DAY_MS; at = nextRun(cadence, endOfHour(at)))
    hours.add(Math.floor(at / HOUR_MS));
  knownHours.set(key, [...hours]);
  return [...hours];
}

/** The last millisecond of the hour that contains `at`. */
function endOfHour(at: number): number {
  return (Math.floor(at / HOUR_MS) + 1) * HOUR_MS - 1;
}
