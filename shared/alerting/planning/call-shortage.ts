import type { FigureRule, Rule } from '../rules/rule.ts';
import { cadenceName, nextRun } from '../time/cadence.ts';
import { callsPerDay, type Estimate, type RunningCost, runningCosts } from './history-cost.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The rules of an app need more calls than are allowed. */
export interface CallShortage {
  app: string;
  estimate: Estimate;
  /** `day`: more than in all hours of a day, so some rules are never evaluated. `hour`: some wait for a later hour. */
  per: 'day' | 'hour';
  needed: number;
  allowed: number;
  /** The rules of each family and their calls, most first. */
  families: { rules: FigureRule[]; calls: number }[];
}

/**
 * The apps whose rules need more calls than `perHour` from `now` on: known before a call is refused and a window is late.
 * The calls for the history of new rules do not count, because they wait for spare calls.
 */
export function callShortages(
  rules: Rule[],
  { now, perHour, estimate }: { now: number; perHour: number; estimate: Estimate },
): CallShortage[] {
  const figureRules = rules.filter((rule): rule is FigureRule => rule.members === undefined);
  return [...Map.groupBy(figureRules, ({ app }) => app)].flatMap(([app, ofApp]): CallShortage[] => {
    const costs = runningCosts(ofApp, now, estimate);
    const perDay = Math.ceil(callsPerDay(costs, now));
    if (perDay > 24 * perHour) {
      const families = mostFirst(costs.map((cost) => ({ rules: cost.rules, calls: cost.callsPerDay })));
      return [{ app, estimate, per: 'day', needed: perDay, allowed: 24 * perHour, families }];
    }
    const { needed, families } = busiestHour(costs, now);
    return needed > perHour ? [{ app, estimate, per: 'hour', needed, allowed: perHour, families }] : [];
  });
}

/** The calls of the busiest hour within the next day. */
function busiestHour(costs: RunningCost[], now: number): Pick<CallShortage, 'needed' | 'families'> {
  const hours = new Map<number, CallShortage['families']>();
  for (const { rules, callsPerRun, callsPerDay } of costs) {
    const hoursOfRuns = new Set(rules.flatMap((rule) => hoursWithRuns(rule, now)));
    // A rule on days that runs every hour has a new window in only one of the runs.
    const calls = Math.min(callsPerRun, callsPerDay / hoursOfRuns.size);
    for (const hour of hoursOfRuns) {
      const families = hours.get(hour) ?? [];
      families.push({ rules, calls });
      hours.set(hour, families);
    }
  }
  const totals = [...hours.values()].map((families) => ({
    needed: Math.ceil(families.reduce((sum, { calls }) => sum + calls, 0)),
    families,
  }));
  const [busiest = { needed: 0, families: [] }] = totals.toSorted((a, b) => b.needed - a.needed);
  return { ...busiest, families: mostFirst(busiest.families) };
}

function mostFirst(families: CallShortage['families']): CallShortage['families'] {
  return families.toSorted((a, b) => b.calls - a.calls);
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
