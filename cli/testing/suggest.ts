import { Command, InvalidArgumentError } from 'commander';
import { progressLine } from '../../local/terminal.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { loadLabels } from '../../workbench/backtest/labels.ts';
import { inFolder, ruleCalled } from '../../workbench/find-rule.ts';
import { type Suggestion, suggestBounds, type Trial } from '../../workbench/suggest/suggest.ts';
import { type PastOptions, readPast, withPastOptions } from '../options/past.ts';
import { readRules } from '../options/read-rules.ts';
import { examples, wholeNumberIn } from '../terminal/arguments.ts';
import { interruption } from '../terminal/interruption.ts';
import { notesOn, type SuggestContext, suggestLines, yamlLines } from './suggest-text.ts';

interface Options extends PastOptions {
  alertsAMonth: number;
  incidents?: string;
  json?: true;
}

/** `deltawatch suggest`: bounds by which a rule would have fired as often as wished. */
export function suggestCommand(clock: Clock = systemClock): Command {
  const command = new Command('suggest')
    .description('Suggest bounds for a rule, by replaying past data')
    .argument('<rule>', 'Rule id')
    .option('--rules <dir>', 'Folder of the rule files', 'rules')
    .option('--alerts-a-month <number>', 'Target number of alerts in 30 days', rate, 1)
    .option('--days <number>', 'Days of history to replay', wholeNumberIn(7, 730), 90)
    .option('--incidents <file>', 'Known incidents; default: incidents.yaml next to the rules');
  return withPastOptions(command)
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['suggest new-users', 'Bounds for one alert a month'],
        ['suggest purchases --alerts-a-month 0.5 --days 180', 'Fewer alerts, on more data'],
      ),
    )
    .action(async (id: string, options: Options) => {
      const written = await readRules(options.rules);
      const rule = bounded(ruleCalled(id, written, inFolder(options.rules)));
      const labels = await loadLabels(options.rules, options.incidents, {
        ruleIds: written.rules.map((each) => each.id),
        apps: [...new Set(written.rules.map(({ app }) => app))],
      });
      const line = progressLine();
      const { archive, span, describe } = await readPast(id, written, options, { clock, line });
      const { alertsAMonth: wished } = options;
      const suggestion = await suggestBounds({
        ...{
          rule,
          routes: written.routes,
          archive,
          span,
          labels,
          alertsPerMonth: wished,
          signal: interruption(),
        },
        onProgress: (done, total) => line.show('Trying bounds', done, total),
      });
      line.end();
      const context = { wished, span, describe, hasLabels: labels !== undefined };
      if (options.json) console.log(JSON.stringify(documentOf(suggestion, context)));
      else console.log(suggestLines(suggestion, context).join('\n'));
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

/**
 * `--json`: `{rule, days, wished, suggested, now, withMinimum, trials, yaml, notes}`. Each of `trials`, `suggested`,
 * `now`, and `withMinimum` if not `null`, is `{factor, fire, recover, minimum, alerts, alertsPerMonth, right, elsewhere,
 * found, incidents}`. Without labels, `right`, `elsewhere`, `found` and `incidents` are `null`. Bounds on a change are
 * ratios: -0.3 is a fall of 30%.
 */
function documentOf({ trials, chosen, now, withMinimum }: Suggestion, context: SuggestContext) {
  const { span, wished } = context;
  return {
    rule: now.rule.id,
    days: (span.endAt - span.startAt) / 86_400_000,
    wished,
    suggested: trialOf(chosen),
    now: trialOf(now),
    withMinimum: withMinimum ? trialOf(withMinimum) : null,
    trials: trials.map(trialOf),
    yaml: yamlLines(chosen),
    notes: notesOn({ trials, chosen, now, withMinimum }, context),
  };
}

function trialOf({ factor, rule, statistics }: Trial) {
  const { fire, recover = null, minimum } = rule;
  const { alerts, alertsPerMonth, hits } = statistics;
  const { right = null, elsewhere = null, found = null, incidents = null } = hits ?? {};
  const scores = { right, elsewhere, found, incidents };
  return { factor, fire, recover, minimum, alerts, alertsPerMonth, ...scores };
}
