import { InvalidArgumentError } from 'commander';
import { stringify } from 'yaml';
import { progressLine } from '../../local/terminal.ts';
import { boundsText } from '../../shared/messages/figure-text.ts';
import { entryOf, type FigureRule, type Rule } from '../../shared/rules/rule.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import type { Window } from '../../shared/time/window.ts';
import { rateText, spanWords } from '../../workbench/backtest/report-text.ts';
import { inFolder, ruleCalled } from '../../workbench/find-rule.ts';
import { type Suggestion, suggestBounds, type Trial } from '../../workbench/suggest/suggest.ts';
import { type PastOptions, readPast } from '../options/past.ts';
import { withFigureOptions } from '../options/project.ts';
import { readRules } from '../options/read-rules.ts';
import { wholeNumberIn } from '../terminal/arguments.ts';
import { Command } from '../terminal/command.ts';
import { interruption } from '../terminal/interruption.ts';
import { RIGHT, tableText } from '../terminal/table.ts';
import { wrapped } from '../terminal/wrapping.ts';

interface Options extends PastOptions {
  alertsAMonth: number;
  json?: true;
}

/** `deltawatch suggest`. `--json` prints the `Suggestion`; bounds on a change are ratios: -0.3 is a fall of 30%. */
export function suggestCommand(clock: Clock = systemClock): Command {
  const command = new Command('suggest')
    .description('Suggest bounds for a rule, by replaying past data')
    .argument('<rule>', 'Rule id')
    .option('--rules <dir>', 'Folder of the rule files', 'rules')
    .option('--alerts-a-month <number>', 'Target number of alerts in 30 days', rate, 1)
    .option('--days <number>', 'Days of history to replay', wholeNumberIn(7, 730), 90);
  return withFigureOptions(command)
    .option('--json', 'Print one JSON document')
    .example('suggest new-users', 'Bounds for one alert a month')
    .example('suggest purchases --alerts-a-month 0.5 --days 180', 'Fewer alerts, on more data')
    .action(async (id: string, options: Options) => {
      const written = await readRules(options.rules);
      const rule = bounded(ruleCalled(id, written, inFolder(options.rules)));
      const line = progressLine();
      const { archive, span, describe } = await readPast(id, written, options, { clock, line });
      const { alertsAMonth: wished } = options;
      const suggestion = await suggestBounds({
        ...{ rule, routes: written.routes, archive, span, alertsPerMonth: wished },
        signal: interruption(),
        onProgress: (done, total) => line.show('Trying bounds', done, total),
      });
      line.end();
      if (options.json)
        console.log(JSON.stringify({ wished, ...suggestion, rule: id, yaml: yamlLines(suggestion) }));
      else console.log(suggestText(suggestion, { wished, span, describe }));
    });
}

/** The rule, which must have bounds. */
function bounded(rule: Rule): FigureRule {
  if (rule.members)
    throw new InvalidRequestError(
      `the rule ${rule.id} watches other rules and has no bounds: run suggest for its members`,
    );
  if (!rule.fire)
    throw new InvalidRequestError(
      `the rule ${rule.id} has no bounds: it detects anomalies. Change "confidence" to get more or fewer alerts`,
    );
  return rule;
}

function rate(text: string): number {
  const number = /^\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (number > 0) return number;
  throw new InvalidArgumentError('Use a number above 0, such as 1 or 0.5.');
}

interface SuggestContext {
  wished: number;
  span: Window;
  describe: string;
}

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
  const columns = { 'fires at': {}, 'a month': RIGHT, '': {} };
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
