import type { Archive } from '../../local/replay/archive.ts';
import { groupText } from '../../shared/rules/group-by.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { counted } from '../../shared/text/counted.ts';
import { dateAt } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import type { ReplayReport, RuleReport } from './report.ts';

/** Rules listed by name in a note. */
const NAMED = 5;

/** Tolerance: the first window rarely starts with the replay. */
const SLACK_MS = 2 * DAY_MS;

/** Sentences needed to read the figures correctly. */
export function notesOn(rules: readonly Rule[], report: ReplayReport): string[] {
  const notes = report.rules.flatMap((each): RuleNote[] => {
    const rule = rules.find(({ id }) => id === each.rule);
    return rule ? noteOn(rule, each, report.startAt) : [];
  });
  return [
    'Past data is final: it has no late uploads, no corrections and no outages of the service.',
    ...[...Map.groupBy(notes, ({ says }) => says)].map(
      ([says, those]) => `${listed(those.map(({ id }) => id))} ${says}`,
    ),
  ];
}

/** A note for each app whose data begins after `fromAt`. */
export function beginningNotes(
  rules: readonly FigureRule[],
  { beginsAt }: Pick<Archive, 'beginsAt'>,
  fromAt: number,
): string[] {
  return [...Map.groupBy(rules, ({ app }) => app)].flatMap(([app, [first]]) => {
    const at = beginsAt(app);
    if (at === undefined || !first || at - fromAt <= SLACK_MS) return [];
    return [`The data of ${app} begins on ${dateAt(at, first.zone)}.`];
  });
}

/** What a note says about a rule, in words that also suit several rules. */
interface RuleNote {
  id: string;
  says: string;
}

function noteOn(rule: Rule, { knownFromAt, windows, notEvaluated }: RuleReport, fromAt: number): RuleNote[] {
  const note = (says: string) => [{ id: rule.id, says: `${says}.` }];
  const [gap] = notEvaluated;
  if (knownFromAt !== null) {
    const runs = notEvaluated.reduce((sum, each) => sum + each.runs, 0);
    const isLate = windows.inconclusive > 0 && knownFromAt - fromAt > SLACK_MS;
    return [
      ...(gap ? note(`could not be evaluated in ${counted(runs, 'run')}, mostly: ${gap.reason}`) : []),
      ...(isLate
        ? note(`had too little history for a baseline before ${dateAt(knownFromAt, rule.zone)}`)
        : []),
    ];
  }
  const check = '"deltawatch check --live" finds misspelt names';
  if (windows.evaluated > 0 && windows.noData === windows.evaluated)
    return note(`had no value above 0; ${check}`);
  if (windows.evaluated === 0 && !gap)
    return note(`watched nothing: no ${groupText(rule)} was recorded; ${check}`);
  return note(`could not be evaluated in this period: ${gap?.reason ?? 'there was no baseline'}`);
}

/** The first names, and how many more there are. */
function listed(names: string[]): string {
  const more = names.length > NAMED ? [`${names.length - NAMED} more`] : [];
  return new Intl.ListFormat('en-GB').format([...names.slice(0, NAMED), ...more]);
}
