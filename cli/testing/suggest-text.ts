import { stringify } from 'yaml';
import { boundsText } from '../../shared/messages/figure-text.ts';
import { entryOf } from '../../shared/rules/rule.ts';
import type { Window } from '../../shared/time/window.ts';
import { rateText, spanWords } from '../../workbench/backtest/report-text.ts';
import type { Suggestion, Trial } from '../../workbench/suggest/suggest.ts';
import { type Column, tableText } from '../terminal/table.ts';
import { wrapped } from '../terminal/wrapping.ts';

export interface SuggestContext {
  wished: number;
  span: Window;
  describe: string;
}

/** The suggestion in 80 columns. */
export function suggestText(suggestion: Suggestion, { wished, span, describe }: SuggestContext): string {
  const { rule, now, suggested, notes } = suggestion;
  return [
    `${rule.id} over ${spanWords(span)}`,
    `of ${describe}`,
    '',
    trialsTable(suggestion),
    '',
    suggested === now
      ? `The current bounds come closest to ${rateText(wished)} a month:`
      : `For ${rateText(wished)} a month, use:`,
    '',
    ...yamlLines(suggestion).map((line) => `  ${line}`),
    '',
    ...notes.flatMap((note) => wrapped(`note: ${note}`)),
  ].join('\n');
}

function trialsTable({ rule, trials, now, suggested }: Suggestion): string {
  const columns: Column[] = [{ title: 'fires at' }, { title: 'a month', align: 'right' }, { title: '' }];
  const rowOf = (trial: Trial) => {
    const { fire, alertsPerMonth } = trial;
    const marks = [...(trial === now ? ['now'] : []), ...(trial === suggested ? ['suggested'] : [])];
    return [fire ? boundsText(fire, rule) : '', rateText(alertsPerMonth), marks.join(', ')];
  };
  return tableText(columns, trials.map(rowOf));
}

/** The lines to paste into the rule. */
export function yamlLines({
  rule,
  suggested: { fire, recover },
}: Pick<Suggestion, 'rule' | 'suggested'>): string[] {
  const entry = entryOf({ ...rule, fire, recover });
  return (['fire', 'recover'] as const).flatMap((key) => {
    const bounds = 'members' in entry ? undefined : entry[key];
    if (!bounds) return [];
    return [`${key}: ${stringify(bounds, { collectionStyle: 'flow', lineWidth: 0 }).trim()}`];
  });
}
