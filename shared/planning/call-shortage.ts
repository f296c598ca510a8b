import type { FigureRule, Rule } from '../rules/rule.ts';
import { DAY_MS, HOUR_MS } from '../units/durations.ts';
import { callsPerDay, type RunningCost, type RunsOf, runningCosts, runsWithinAWeek } from './call-cost.ts';

/** The rules of an app need more calls than are allowed. */
export interface CallShortage {
  app: string;
  /** `day`: more than in all hours of a day, so some rules are never evaluated. `hour`: some wait for a later hour. */
  per: 'day' | 'hour';
  needed: number;
  allowed: number;
  /** The rules of each family and their calls, most first. */
  families: { rules: FigureRule[]; calls: number }[];
}

/**
 * The apps whose rules need more calls than `perHour` from `now` on: known before a call is refused and a window is late.
 * The calls for the history of new rules do not count, because they wait for spare calls. `runsOf`: to share what it
 * remembers.
 */
export function callShortages(
  rules: Rule[],
  { now, perHour, runsOf = runsWithinAWeek(now) }: { now: number; perHour: number; runsOf?: RunsOf },
): CallShortage[] {
  const figureRules = rules.filter((rule): rule is FigureRule => rule.members === undefined);
  return [...Map.groupBy(figureRules, ({ app }) => app)].flatMap(([app, ofApp]): CallShortage[] => {
    const costs = runningCosts(ofApp, runsOf);
    const perDay = Math.ceil(callsPerDay(costs, runsOf));
    if (perDay > 24 * perHour) {
      const families = mostFirst(costs.map((cost) => ({ rules: cost.rules, calls: cost.callsPerDay })));
      return [{ app, per: 'day', needed: perDay, allowed: 24 * perHour, families }];
    }
    const { needed, families } = busiestHour(costs, runsOf, now + DAY_MS);
    return needed > perHour ? [{ app, per: 'hour', needed, allowed: perHour, families }] : [];
  });
}

/** The calls of the busiest hour until `endAt`. */
function busiestHour(
  costs: RunningCost[],
  runsOf: RunsOf,
  endAt: number,
): Pick<CallShortage, 'needed' | 'families'> {
  const hours = new Map<number, CallShortage['families']>();
  for (const { rules, callsPerRun, shareOfRuns } of costs) {
    const runs = new Set([...new Set(rules.map(({ cadence }) => runsOf(cadence)))].flat());
    const next = [...runs].filter((at) => at <= endAt);
    for (const [hour, ofHour] of Map.groupBy(next, (at) => Math.floor(at / HOUR_MS))) {
      const families = hours.get(hour) ?? [];
      families.push({ rules, calls: callsPerRun * shareOfRuns * ofHour.length });
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
