import type { Archive } from '../../local/replay/archive.ts';
import { spanText } from '../../shared/messages/figure-text.ts';
import { groupText } from '../../shared/rules/group-by.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { counted } from '../../shared/text/counted.ts';
import { dateAt, type Window } from '../../shared/time/window.ts';
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
    ...sharedNotes(rules.filter(({ rule }) => !unmatched.has(rule.id)).flatMap(neverKnown)),
    ...gapsIn(rules),
    ...foldedIn(rules),
    ...quietIn(rules),
    ...labelsIn(labelled),
  ];
}

/** A note for each app whose data begins after `fromAt`. `fired`: the ids of the rules with alerts. */
export function beginningNotes(
  rules: readonly FigureRule[],
  { beginsAt }: Pick<Archive, 'beginsAt'>,
  { fromAt, fired }: { fromAt: number; fired: ReadonlySet<string> },
): string[] {
  return [...Map.groupBy(rules, ({ app }) => app)].flatMap(([app, those]) => {
    const at = beginsAt(app);
    if (at === undefined || at - fromAt <= SLACK_MS) return [];
    const zone = those[0]?.zone ?? 'UTC';
    return [
      `The data of ${app} begins on ${dateAt(at, zone)}.${newUsersAtFirst(those.filter(({ id }) => fired.has(id)))}`,
    ];
  });
}

function newUsersAtFirst(rules: readonly FigureRule[]): string {
  const ids = rules.filter(({ metric }) => metric === 'new_users').map(({ id }) => id);
  if (ids.length === 0) return '';
  return ` Users who return count as new until the data has seen them, so alerts of ${listed(ids)} in the first weeks can be false.`;
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

/** What a note says about a rule, in words that also suit several rules. */
interface RuleNote {
  id: string;
  says: string;
}

/** One note per text, for all rules that it holds for. */
function sharedNotes(notes: RuleNote[]): string[] {
  return [...Map.groupBy(notes, ({ says }) => says)].map(
    ([says, those]) => `${listed(those.map(({ id }) => id))} ${says}`,
  );
}

function neverKnown({ rule, knownFromAt, windows, gaps }: RuleStatistics): RuleNote[] {
  if (knownFromAt !== null) return [];
  const { id } = rule;
  const [gap] = gaps;
  if (windows.noData > 0 && windows.noData === windows.evaluated)
    return [{ id, says: 'had no value above 0: check events and filters.' }];
  if (windows.evaluated === 0 && rule.group_by && !gap)
    return [{ id, says: `watched nothing: no value of ${groupText(rule)} was recorded.` }];
  const why = gap ? `: ${gap.reason}` : windows.evaluated > 0 ? ': there was no baseline' : '';
  return [{ id, says: `could not be evaluated in this period${why}.` }];
}

/** Rules of different cadences have different numbers of runs. */
function gapsIn(rules: RuleStatistics[]): string[] {
  const known = rules.flatMap(({ rule, knownFromAt, gaps }) => {
    const [first] = gaps;
    const runs = gaps.reduce((sum, each) => sum + each.runs, 0);
    return first && knownFromAt !== null ? [{ id: rule.id, runs, reason: first.reason }] : [];
  });
  return [...Map.groupBy(known, ({ reason }) => reason)].map(([reason, those]) => {
    const all = those.map(({ runs }) => runs);
    const [least, most] = [Math.min(...all), Math.max(...all)];
    const runs = least === most ? counted(most, 'run') : `${least} to ${counted(most, 'run')}`;
    return `${listed(those.map(({ id }) => id))} could not be evaluated in ${runs}, mostly: ${reason}.`;
  });
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

/** The first names, and how many more there are. */
export function listed(names: string[]): string {
  const more = names.length > NAMED ? [`${names.length - NAMED} more`] : [];
  return new Intl.ListFormat('en-GB').format([...names.slice(0, NAMED), ...more]);
}
