import type { Rule } from '../../shared/alerting/rules/rule.ts';
import type { Window } from '../../shared/alerting/time/window.ts';
import type { Fire } from './fires.ts';
import { type About, concerns, directionOf, touches } from './incident-scope.ts';
import type { Label } from './label.ts';
import { medianOf } from './median.ts';

/** Right: an incident touches what it fired on. Elsewhere: there was one of the app at that time, and it does not. */
type Match = 'right' | 'elsewhere' | 'wrong';

/** An alert with the incidents that it is right about. */
export interface Answer {
  fire: Fire;
  match: Match;
  labels: Label[];
}

/** What became of one labelled incident. */
export interface LabelOutcome {
  label: Label;
  /** The rules that fired for it, the soonest first, and how long after its begin the tick was that found it. */
  hits: { ruleId: string; delayMs: number }[];
  /** The rules that it names and that did not fire. */
  missed: string[];
  /** Whether any rule has a figure in which it could show. */
  isWatched: boolean;
}

/** How well the alerts of a rule, or of all of them, go with the labels. `null`: there is nothing to tell it by. */
export interface Hits {
  /** All alerts, by their match. */
  right: number;
  elsewhere: number;
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

/** The replayed rules, each with the segments that it watched. */
export interface Replayed {
  rules: Rule[];
  segmentsOf: (ruleId: string) => ReadonlySet<string>;
}

/** Every alert, judged by the labels: by what it fired on, from the first breach that counted. */
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

/** An alert of a rule over rules is about what the alerts of its members are about that were open when it fired. */
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

/** Whether it says enough for an alert to be right about it. */
export function isTelling(about: About): boolean {
  return 'rules' in about || about.metrics !== undefined;
}

/**
 * What became of the labels that begin in `span`: of others it is not known what would have been told. An incident is
 * found by an alert that is right about it, and by no other.
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
      // What is about rules that were not replayed asks for nothing.
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

/** Of one rule: what is labelled for the whole app makes its alerts right, but does not ask for them. */
export function hitsOfRule({ id }: Rule, outcomes: LabelOutcome[], answers: Answer[]): Hits {
  const named = outcomes.filter(({ label: { about } }) => 'rules' in about && about.rules.includes(id));
  const delays = named.flatMap(({ hits }) => hits.find(({ ruleId }) => ruleId === id)?.delayMs ?? []);
  const own = answers.filter(({ fire }) => fire.ruleId === id);
  return hitsFrom(own, { incidents: named.length, delays });
}

/** Of all rules together: an incident is found by the first that fires. */
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
