import { counted } from '../../local/terminal.ts';
import { spanText } from '../../shared/alerting/messages/figure-text.ts';
import type { Rule } from '../../shared/alerting/rules/rule.ts';
import { dateAt, type Window } from '../../shared/alerting/time/window.ts';
import type { Archive } from '../replay/archive.ts';
import type { RuleStatistics, Statistics } from './statistics.ts';

/** Rules listed by name in a note. */
const NAMED = 5;

/** One day of tolerance: the first window rarely starts with the replay. */
const SLACK_MS = 2 * 86_400_000;

/** Sentences needed to read the figures correctly. `unmatchedNotes` explains rules that match nothing. */
export function notesOn(
  { rules, span, labelled }: Statistics,
  unmatched: ReadonlySet<string> = new Set(),
): string[] {
  return [
    'Past data is final: it has no late uploads, no corrections and no outages of the service.',
    ...unknownIn(rules),
    ...unknownAtFirst(rules, span.startAt),
    ...ratesOfLess(rules, span),
    ...rules.filter(({ rule }) => !unmatched.has(rule.id)).flatMap(neverKnown),
    ...rules.flatMap(gapsOf),
    ...foldedIn(rules),
    ...quietIn(rules),
    ...labelsIn(labelled),
  ];
}

/** A note for each app whose data begins after `fromAt`. */
export function beginningNotes(
  rules: readonly Rule[],
  { beginsAt }: Pick<Archive, 'beginsAt'>,
  fromAt: number,
): string[] {
  const zones = new Map<string, string>();
  for (const { app, zone } of rules) if (!zones.has(app)) zones.set(app, zone);
  return [...zones].flatMap(([app, zone]) => {
    const at = beginsAt(app);
    return at === undefined || at - fromAt <= SLACK_MS
      ? []
      : [`The data of ${app} begins on ${dateAt(at, zone)}.`];
  });
}

function labelsIn(labelled: Statistics['labelled']): string[] {
  if (!labelled)
    return [
      'No incidents are labelled: add incidents.yaml to the folder of rules, or use --incidents, to see which alerts are correct.',
    ];
  const { hits, vague } = labelled;
  const titles = vague.map(({ title }) => `"${title}"`);
  return [
    ...(hits.elsewhere > 0
      ? ['"Elsewhere" counts alerts that fired during an incident in other data than theirs.']
      : []),
    ...(vague.length > 0
      ? [
          `An incident with an app but no metric matches no alert: ${listed(titles)}. Set its "metric" or "rules".`,
        ]
      : []),
  ];
}

function unknownIn(rules: RuleStatistics[]): string[] {
  if (rules.every(({ unknownShare }) => unknownShare === 0)) return [];
  return ['"Unknown" is the share of windows that were not evaluated, had no value, or had too little data.'];
}

function unknownAtFirst(rules: RuleStatistics[], fromAt: number): string[] {
  const late = rules.flatMap(({ rule, knownFromAt, windows }) =>
    knownFromAt !== null && windows.inconclusive > 0 && knownFromAt - fromAt > SLACK_MS
      ? [`${rule.id} from ${dateAt(knownFromAt, rule.zone)}`]
      : [],
  );
  if (late.length === 0) return [];
  return [`At first there was too little history for a baseline. Evaluated: ${listed(late)}.`];
}

/** A rate of one month does not fall because the two months before it were not evaluated. */
function ratesOfLess(rules: RuleStatistics[], { startAt, endAt }: Window): string[] {
  const less = rules.flatMap(({ rule, evaluatedMs }) =>
    evaluatedMs > 0 && endAt - startAt - evaluatedMs > SLACK_MS
      ? [`${rule.id} ${spanText(evaluatedMs)}`]
      : [],
  );
  if (less.length === 0) return [];
  return [`Monthly rates are based on the time that could be evaluated: ${listed(less)}.`];
}

function neverKnown({ rule, knownFromAt, windows, gaps }: RuleStatistics): string[] {
  if (knownFromAt !== null) return [];
  const [gap] = gaps;
  if (windows.noData > 0 && windows.noData === windows.evaluated)
    return [`${rule.id} had no value above 0: check its events and filters.`];
  if (windows.evaluated === 0 && rule.group_by && !gap)
    return [`${rule.id} watched nothing: no value of ${rule.group_by} was recorded.`];
  const why = gap ? `: ${gap.reason}` : windows.evaluated > 0 ? ': it had no baseline' : '';
  return [`${rule.id} could not be evaluated in this period${why}.`];
}

function gapsOf({ rule, knownFromAt, gaps }: RuleStatistics): string[] {
  const [first] = gaps;
  if (!first || knownFromAt === null) return [];
  const runs = gaps.reduce((sum, each) => sum + each.runs, 0);
  return [`${rule.id} could not be evaluated in ${counted(runs, 'run')}, mostly: ${first.reason}.`];
}

function foldedIn(rules: RuleStatistics[]): string[] {
  const folded = rules.filter(({ hasOthers }) => hasOthers).map(({ rule }) => rule.id);
  if (folded.length === 0) return [];
  return [`Segments that are not watched form one series: ${listed(folded)}.`];
}

function quietIn(rules: RuleStatistics[]): string[] {
  const quiet = rules.filter(({ rule }) => rule.quiet).map(({ rule }) => rule.id);
  return quiet.length === 0 ? [] : [`Quiet rules fire without notifying: ${listed(quiet)}.`];
}

function listed(names: string[]): string {
  const more = names.length > NAMED ? [`${names.length - NAMED} more`] : [];
  return [...names.slice(0, NAMED), ...more].join(', ');
}
