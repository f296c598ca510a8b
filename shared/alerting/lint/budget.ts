import { callsPerDay, type HistoryCost, historyCosts } from '../planning/history-cost.ts';
import type { FigureRule, Rule } from '../rules/rule.ts';
import { cadenceName, nextRun } from '../time/cadence.ts';
import { aboutRule, type Finding } from './findings.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Whether all rules of an app together ask the service for more than it allows. */
export function budgetFindings(rules: Rule[], now: number, perHour: number): Finding[] {
  const figureRules = rules.filter((rule): rule is FigureRule => rule.members === undefined);
  return [...Map.groupBy(figureRules, ({ app }) => app)].flatMap(([app, ofApp]) => {
    const costs = historyCosts(ofApp, now, perHour);
    const [dearest] = costs.toSorted((a, b) => b.callsPerDay - a.callsPerDay);
    const [rule] = dearest?.rules ?? [];
    if (!rule) return [];
    const perDay = Math.ceil(callsPerDay(costs, now));
    if (perDay > 24 * perHour) {
      const message = `the rules of ${app} take ${perDay} calls a day, and the service allows ${24 * perHour}: the least grave stay unjudged; the dearest is this one, with its like`;
      return aboutRule(rule.id, [{ code: 'calls-over-budget', path: ['id'], message }]);
    }
    const busiest = busiestHour(costs, now);
    if (busiest <= perHour) return [];
    const message = `the rules of ${app} take ${busiest} calls within one hour, and the service allows ${perHour}: the least grave wait for the next; let some run at another time, or share filters so that they share calls`;
    return aboutRule(rule.id, [{ code: 'calls-at-once', path: ['every'], message }]);
  });
}

/** The calls of the hour of the coming day in which most are made, each family looking when its rules do. */
function busiestHour(costs: HistoryCost[], now: number): number {
  const hours = new Map<number, number>();
  for (const { rules, callsPerRun, callsPerDay } of costs) {
    const looks = new Set(rules.flatMap((rule) => hoursWithLook(rule, now)));
    // Of a day that is looked at each hour one look finds something to ask.
    const each = Math.min(callsPerRun, callsPerDay / looks.size);
    for (const hour of looks) hours.set(hour, (hours.get(hour) ?? 0) + each);
  }
  return Math.ceil(Math.max(0, ...hours.values()));
}

const looksKnown = new Map<string, number[]>();

function hoursWithLook({ cadence }: FigureRule, now: number): number[] {
  const key = `${cadenceName(cadence)} ${now}`;
  const known = looksKnown.get(key);
  if (known) return known;
  const hours = new Set<number>();
  for (let at = nextRun(cadence, now); at <= now + DAY_MS; at = nextRun(cadence, endOfHour(at)))
    hours.add(Math.floor(at / HOUR_MS));
  looksKnown.set(key, [...hours]);
  return [...hours];
}

/** The last moment of the hour that `at` is in. */
function endOfHour(at: number): number {
  return (Math.floor(at / HOUR_MS) + 1) * HOUR_MS - 1;
}
