import { counted } from '../../local/terminal.ts';
import { spanText } from '../../shared/alerting/messages/figure-text.ts';
import type { Rule } from '../../shared/alerting/rules/rule.ts';
import { dateAt, type Window } from '../../shared/alerting/time/window.ts';
import type { Archive } from '../replay/archive.ts';
import type { RuleStatistics, Statistics } from './statistics.ts';

/** Rules that a note names one by one. */
const NAMED = 5;

/** A day of grace: the first window of a rule rarely begins where the replay does. */
const SLACK_MS = 2 * 86_400_000;

/** What has to be known to read the figures rightly, a sentence each. Why a rule is `unmatched` is said elsewhere. */
export function notesOn(
  { rules, span, labelled }: Statistics,
  unmatched: ReadonlySet<string> = new Set(),
): string[] {
  return [
    'History is settled data: late uploads, figures that were taken back, and outages of the service are not in it.',
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

/** A sentence on each app whose data begin later than the days that were replayed (`fromAt`). */
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
      : [`The data of ${app} begin on ${dateAt(at, zone)}.`];
  });
}

function labelsIn(labelled: Statistics['labelled']): string[] {
  if (!labelled)
    return [
      'Nothing is labelled: incidents.yaml in the folder of rules, or --incidents, tells right from wrong.',
    ];
  const { hits, vague } = labelled;
  const titles = vague.map(({ title }) => `"${title}"`);
  return [
    ...(hits.elsewhere > 0
      ? ['"Elsewhere" counts alerts that fired during an incident that does not touch what they watch.']
      : []),
    ...(vague.length > 0
      ? [
          `No alert can be right about an incident that names an app and no metric: ${listed(titles)}. Give it a "metric" or "rules".`,
        ]
      : []),
  ];
}

function unknownIn(rules: RuleStatistics[]): string[] {
  if (rules.every(({ unknownShare }) => unknownShare === 0)) return [];
  return [
    '"Unknown" is the share of windows that were not judged, or had no value, or not enough data to tell.',
  ];
}

function unknownAtFirst(rules: RuleStatistics[], fromAt: number): string[] {
  const late = rules.flatMap(({ rule, knownFromAt, windows }) =>
    knownFromAt !== null && windows.inconclusive > 0 && knownFromAt - fromAt > SLACK_MS
      ? [`${rule.id} from ${dateAt(knownFromAt, rule.zone)}`]
      : [],
  );
  if (late.length === 0) return [];
  return [`There was too little past for a baseline at first; what follows was judged: ${listed(late)}.`];
}

/** Alerts of a month that was judged are no fewer for two months before it that were not. */
function ratesOfLess(rules: RuleStatistics[], { startAt, endAt }: Window): string[] {
  const less = rules.flatMap(({ rule, evaluatedMs }) =>
    evaluatedMs > 0 && endAt - startAt - evaluatedMs > SLACK_MS
      ? [`${rule.id} ${spanText(evaluatedMs)}`]
      : [],
  );
  if (less.length === 0) return [];
  return [`What comes a month is told of the time that could be judged: ${listed(less)}.`];
}

function neverKnown({ rule, knownFromAt, windows, gaps }: RuleStatistics): string[] {
  if (knownFromAt !== null) return [];
  const [gap] = gaps;
  if (windows.noData > 0 && windows.noData === windows.evaluated)
    return [`${rule.id} had no value at all, or only 0: check its events and filters.`];
  if (windows.evaluated === 0 && rule.group_by && !gap)
    return [`${rule.id} watched nothing: no value of ${rule.group_by} was recorded.`];
  const why = gap ? `: ${gap.reason}` : windows.evaluated > 0 ? ': it never had a baseline' : '';
  return [`${rule.id} could not be judged in these days${why}.`];
}

function gapsOf({ rule, knownFromAt, gaps }: RuleStatistics): string[] {
  const [first] = gaps;
  if (!first || knownFromAt === null) return [];
  const runs = gaps.reduce((sum, each) => sum + each.runs, 0);
  return [`${rule.id} could not be judged at ${counted(runs, 'run')}, mostly: ${first.reason}.`];
}

function foldedIn(rules: RuleStatistics[]): string[] {
  const folded = rules.filter(({ hasOthers }) => hasOthers).map(({ rule }) => rule.id);
  if (folded.length === 0) return [];
  return [`What lies beyond the watched segments is one series: ${listed(folded)}.`];
}

function quietIn(rules: RuleStatistics[]): string[] {
  const quiet = rules.filter(({ rule }) => rule.quiet).map(({ rule }) => rule.id);
  return quiet.length === 0 ? [] : [`Quiet rules alert, and send nothing: ${listed(quiet)}.`];
}

function listed(names: string[]): string {
  const more = names.length > NAMED ? [`${names.length - NAMED} more`] : [];
  return [...names.slice(0, NAMED), ...more].join(', ');
}
