import type { Rule } from '../../shared/alerting/rule.ts';
import type { Window } from '../../shared/alerting/window.ts';
import type { Fire } from './fires.ts';
import type { Label } from './labels.ts';
import { medianOf } from './median.ts';

/** What became of one labelled incident. */
export interface LabelOutcome {
  label: Label;
  /** The rules that fired for it, the soonest first, and how long after its begin the tick was that found it. */
  hits: { ruleId: string; delayMs: number }[];
  /** The rules that it names and that did not fire. */
  missed: string[];
}

/** How well the alerts of a rule, or of all of them, go with the labels. `null`: there is nothing to tell it by. */
export interface Hits {
  /** Alerts that lie in a labelled incident, and those that lie in none. */
  right: number;
  wrong: number;
  /** Incidents that should have been found, and those that were. */
  incidents: number;
  found: number;
  /** `right` of all alerts; `found` of all incidents. */
  precision: number | null;
  recall: number | null;
  /** Half of what was found was found sooner after its begin. */
  medianDelayMs: number | null;
}

/** What became of the labels that begin in `span`: of others it is not known what would have been told. */
export function outcomesOf(labels: Label[], rules: Rule[], fires: Fire[], span: Window): LabelOutcome[] {
  return labels
    .filter(({ startAt }) => span.startAt <= startAt && startAt < span.endAt)
    .flatMap((label): LabelOutcome[] => {
      const concerned = rules.filter((rule) => isAbout(label, rule)).map(({ id }) => id);
      // What is about rules that were not replayed asks for nothing.
      if (concerned.length === 0) return [];
      const hits = concerned.flatMap((ruleId) => firstHit(ruleId, label, fires));
      const found = new Set(hits.map(({ ruleId }) => ruleId));
      const missed = 'rules' in label.about ? concerned.filter((id) => !found.has(id)) : [];
      return [{ label, hits: hits.toSorted((a, b) => a.delayMs - b.delayMs), missed }];
    });
}

/** Of one rule: what is labelled for the whole app makes its alerts right, but does not ask for them. */
export function hitsOfRule(rule: Rule, labels: Label[], outcomes: LabelOutcome[], fires: Fire[]): Hits {
  const named = outcomes.filter(({ label: { about } }) => 'rules' in about && about.rules.includes(rule.id));
  const delays = named.flatMap(({ hits }) => hits.find(({ ruleId }) => ruleId === rule.id)?.delayMs ?? []);
  const concerning = labels.filter((label) => isAbout(label, rule));
  const right = fires.filter((fire) => concerning.some((label) => overlaps(fire.onset, label))).length;
  return hitsFrom({ right, fires: fires.length, incidents: named.length, delays });
}

/** Of all rules together: an incident is found by the first that fires. */
export function hitsOfAll(rules: Rule[], labels: Label[], outcomes: LabelOutcome[], fires: Fire[]): Hits {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const right = fires.filter(({ ruleId, onset }) => {
    const rule = byId.get(ruleId);
    return rule && labels.some((label) => isAbout(label, rule) && overlaps(onset, label));
  }).length;
  const delays = outcomes.flatMap(({ hits: [first] }) => first?.delayMs ?? []);
  return hitsFrom({ right, fires: fires.length, incidents: outcomes.length, delays });
}

interface Counted {
  right: number;
  fires: number;
  incidents: number;
  delays: number[];
}

function hitsFrom({ right, fires, incidents, delays }: Counted): Hits {
  const found = delays.length;
  return {
    ...{ right, wrong: fires - right, incidents, found },
    precision: fires > 0 ? right / fires : null,
    recall: incidents > 0 ? found / incidents : null,
    medianDelayMs: medianOf(delays),
  };
}

/**
 * An alert tells of what it fired on; one that was open already, of an incident too that asks for its rule. Of a whole app
 * it says nothing: it may be about something else.
 */
function firstHit(ruleId: string, label: Label, fires: Fire[]): LabelOutcome['hits'] {
  const own = fires.filter((fire) => {
    const open = { startAt: fire.onset.startAt, endAt: fire.openThroughAt };
    return fire.ruleId === ruleId && overlaps('rules' in label.about ? open : fire.onset, label);
  });
  if (own.length === 0) return [];
  return [{ ruleId, delayMs: Math.max(0, Math.min(...own.map(({ at }) => at)) - label.startAt) }];
}

function isAbout({ about }: Label, { id, app }: Rule): boolean {
  return 'rules' in about ? about.rules.includes(id) : about.app === app;
}

function overlaps(a: Window, b: Window): boolean {
  return a.startAt < b.endAt && b.startAt < a.endAt;
}
