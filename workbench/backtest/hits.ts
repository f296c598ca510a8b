import type { Rule } from '../../shared/rules/rule.ts';
import type { Window } from '../../shared/time/window.ts';
import type { Fire } from './fires.ts';
import { type About, concerns, directionOf, touches } from './incident-scope.ts';
import type { Label } from './label.ts';
import { medianOf } from './median.ts';

/**
 * `right`: an incident affects what the alert fired on. `elsewhere`: the app had an incident then, in other
 * data.
 */
type Match = 'right' | 'elsewhere' | 'wrong';

/** An alert with the incidents that it matches. */
export interface Answer {
  fire: Fire;
  match: Match;
  labels: Label[];
}

/** The outcome of one labelled incident. */
export interface LabelOutcome {
  label: Label;
  /** Rules that fired for it, soonest first, with the delay from its start to the run that found it. */
  hits: { ruleId: string; delayMs: number }[];
  /** Named rules that did not fire. */
  missed: string[];
  /** Whether any rule watches a figure that it affects. */
  isWatched: boolean;
}

/** How well the alerts of one rule, or all, match the labels. `null` where there is nothing to compare. */
export interface Hits {
  /** Alerts by match. */
  right: number;
  elsewhere: number;
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

/** The replayed rules, each with its watched segments. */
export interface Replayed {
  rules: Rule[];
  segmentsOf: (ruleId: string) => ReadonlySet<string>;
}

/** Matches every alert with the labels, by the windows from its first counted breach to its fire. */
export function answersOf(fires: Fire[], labels: Label[], { rules, segmentsOf }: Replayed): Answer[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const appsOf = ({ about }: Label) =>
    'rules' in about ? about.rules.map((id) => byId.get(id)?.app) : [about.app];
  const isAbout = (label: Label, fire: Fire): boolean => {
    const { ruleId, segment, onset } = fire;
    const rule = byId.get(ruleId);
    if (!rule || !overlaps(onset, label)) return false;
    const series = { rule, segment, watched: segmentsOf(ruleId) };
    if (touches(label.about, series, directionOf(rule, fire.figures))) return true;
    return membersOpenAt(fire, rule, fires).some((each) => isAbout(label, each));
  };
  return fires.map((fire) => {
    const during = labels.filter((label) => overlaps(fire.onset, label));
    const right = during.filter((label) => isAbout(label, fire));
    const isElsewhere = during.some((label) => appsOf(label).includes(byId.get(fire.ruleId)?.app));
    return { fire, match: right.length > 0 ? 'right' : isElsewhere ? 'elsewhere' : 'wrong', labels: right };
  });
}

/** A composite alert is about what its members' alerts are about, if they were open when it fired. */
function membersOpenAt({ window, segment }: Fire, { members }: Rule, fires: Fire[]): Fire[] {
  if (!members) return [];
  return fires.filter(
    (each) =>
      members.ruleIds.includes(each.ruleId) &&
      (segment === null || each.segment === segment) &&
      each.window.startAt < window.endAt &&
      each.openThroughAt >= window.endAt,
  );
}

/** Whether the label is specific enough for an alert to match it. */
export function isTelling(about: About): boolean {
  return 'rules' in about || about.metrics !== undefined;
}

/**
 * Outcomes of the labels that begin in `span`; the time of other labels was not replayed. An incident counts as found
 * only if an alert matches it.
 */
export function outcomesOf(
  labels: Label[],
  { rules, segmentsOf }: Replayed,
  answers: Answer[],
  span: Window,
): LabelOutcome[] {
  return labels
    .filter(({ about, startAt }) => isTelling(about) && span.startAt <= startAt && startAt < span.endAt)
    .flatMap((label): LabelOutcome[] => {
      const { about } = label;
      const asked = rules.filter(({ id, app }) =>
        'rules' in about ? about.rules.includes(id) : about.app === app,
      );
      // A label of rules that were not replayed expects no alert.
      if (asked.length === 0) return [];
      const hits = hitsOn(label, answers);
      const missed = 'rules' in about ? asked.filter(({ id }) => hits.every((hit) => hit.ruleId !== id)) : [];
      const isWatched = asked.some((rule) =>
        concerns(about, { rule, segment: null, watched: segmentsOf(rule.id) }),
      );
      return [{ label, hits, missed: missed.map(({ id }) => id), isWatched }];
    });
}

function hitsOn(label: Label, answers: Answer[]): LabelOutcome['hits'] {
  const own = answers.filter(({ labels }) => labels.includes(label)).map(({ fire }) => fire);
  return [...Map.groupBy(own, ({ ruleId }) => ruleId)]
    .map(([ruleId, fires]) => ({
      ruleId,
      delayMs: Math.max(0, Math.min(...fires.map(({ at }) => at)) - label.startAt),
    }))
    .toSorted((a, b) => a.delayMs - b.delayMs);
}

/** For one rule: a label of the whole app can match its alerts, but does not require one. */
export function hitsOfRule({ id }: Rule, outcomes: LabelOutcome[], answers: Answer[]): Hits {
  const named = outcomes.filter(({ label: { about } }) => 'rules' in about && about.rules.includes(id));
  const delays = named.flatMap(({ hits }) => hits.find(({ ruleId }) => ruleId === id)?.delayMs ?? []);
  const own = answers.filter(({ fire }) => fire.ruleId === id);
  return hitsFrom(own, { incidents: named.length, delays });
}

/** For all rules together: the first alert finds the incident. */
export function hitsOfAll(outcomes: LabelOutcome[], answers: Answer[]): Hits {
  const delays = outcomes.flatMap(({ hits: [first] }) => first?.delayMs ?? []);
  return hitsFrom(answers, { incidents: outcomes.length, delays });
}

function hitsFrom(answers: Answer[], { incidents, delays }: { incidents: number; delays: number[] }): Hits {
  const count = (wanted: Match) => answers.filter(({ match }) => match === wanted).length;
  const [right, found] = [count('right'), delays.length];
  return {
    ...{ right, elsewhere: count('elsewhere'), wrong: count('wrong'), incidents, found },
    precision: answers.length > 0 ? right / answers.length : null,
    recall: incidents > 0 ? found / incidents : null,
    medianDelayMs: medianOf(delays),
  };
}

function overlaps(a: Window, b: Window): boolean {
  return a.startAt < b.endAt && b.startAt < a.endAt;
}
