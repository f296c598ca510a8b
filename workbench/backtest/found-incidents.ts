import type { Rule } from '../../shared/rules/rule.ts';
import { median } from '../../shared/statistics/dispersion.ts';
import type { Window } from '../../shared/time/window.ts';
import type { KnownIncident } from './known-incidents.ts';
import type { Fire } from './series-log.ts';

/** A known incident and the rules that fired for it. */
export interface FoundIncident extends KnownIncident {
  /** Soonest first, with the delay from the start of the incident to the run that found it. */
  foundBy: { rule: string; delayMs: number }[];
  /** Named rules that did not fire. */
  missed: string[];
}

/** How alerts match the known incidents. `null` where there is nothing to compare. */
export interface Hits {
  /** Alerts during an incident of their rule, and all others. */
  right: number;
  wrong: number;
  /** Incidents that should have been found, and those that were. */
  incidents: number;
  found: number;
  /** `right` as a share of alerts; `found` as a share of incidents. */
  precision: number | null;
  recall: number | null;
  /** Median delay from the start of an incident to its fire. */
  medianDelayMs: number | null;
}

/** A replayed rule and its alerts. */
interface Replayed {
  rule: Rule;
  fires: Fire[];
}

/**
 * The incidents that an alert is right about: they overlap the windows from its first counted breach to its fire. A rule
 * over rules is right about the incidents of its members.
 */
export function incidentsOf(fire: Fire, rule: Rule, known: KnownIncident[]): KnownIncident[] {
  return known.filter(
    (each) =>
      affects(each, rule) &&
      (each.segment === undefined || fire.segment === null || fire.segment === each.segment) &&
      overlaps(fire.onset, each),
  );
}

function affects({ app, rules }: KnownIncident, rule: Rule): boolean {
  const ids = [rule.id, ...(rule.members?.ruleIds ?? [])];
  return rules ? rules.some((id) => ids.includes(id)) : app === rule.app;
}

/** The incidents that begin in `span` and affect a replayed rule, each with the rules that fired for it. */
export function foundIncidents(known: KnownIncident[], replayed: Replayed[], span: Window): FoundIncident[] {
  return known
    .filter(({ startAt }) => span.startAt <= startAt && startAt < span.endAt)
    .flatMap((incident): FoundIncident[] => {
      const affected = replayed.filter(({ rule }) => affects(incident, rule));
      if (affected.length === 0) return [];
      const foundBy = affected.flatMap(({ rule, fires }) => {
        const right = fires.filter((fire) => incidentsOf(fire, rule, [incident]).length > 0);
        const foundAt = Math.min(...right.map((fire) => fire.foundAt));
        return right.length > 0 ? [{ rule: rule.id, delayMs: Math.max(0, foundAt - incident.startAt) }] : [];
      });
      const missed = affected
        .map(({ rule: { id } }) => id)
        .filter((id) => incident.rules?.includes(id) && !foundBy.some(({ rule }) => rule === id));
      return [{ ...incident, foundBy: foundBy.toSorted((a, b) => a.delayMs - b.delayMs), missed }];
    });
}

/**
 * How alerts match the incidents: of one rule, or of all without `rule`. An incident of a whole app does not require an
 * alert of each rule. `fires`: with the titles of the incidents that they are right about.
 */
export function hitsOf(fires: { incidents?: string[] }[], found: FoundIncident[], rule?: string): Hits {
  const asked = rule === undefined ? found : found.filter(({ rules }) => rules?.includes(rule));
  const delays = asked.flatMap(({ foundBy }) => {
    const first = foundBy.find((each) => rule === undefined || each.rule === rule);
    return first ? [first.delayMs] : [];
  });
  const right = fires.filter(({ incidents = [] }) => incidents.length > 0).length;
  return {
    ...{ right, wrong: fires.length - right, incidents: asked.length, found: delays.length },
    precision: fires.length > 0 ? right / fires.length : null,
    recall: asked.length > 0 ? delays.length / asked.length : null,
    medianDelayMs: delays.length > 0 ? median(delays) : null,
  };
}

function overlaps(a: Window, b: Window): boolean {
  return a.startAt < b.endAt && b.startAt < a.endAt;
}
