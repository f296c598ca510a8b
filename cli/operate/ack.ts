import { Command, Option } from 'commander';
import type { Place } from '../../local/installation.ts';
import type { Answer } from '../../shared/alerts/alert.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { asOption, reason } from '../options/author-option.ts';
import { ofInstallation, withInstallation } from '../options/installation.ts';
import { examples } from '../terminal/arguments.ts';
import { subjectOf } from './alert-rows.ts';
import { type AnswerReport, answerAlerts } from './answer-alerts.ts';

interface Options extends Place {
  segment?: string;
  all?: boolean;
  snooze?: keyof typeof SNOOZES;
  reason: string;
  as: string;
  json?: true;
}

const SNOOZES = {
  '1h': 'snooze-1h',
  '1d': 'snooze-1d',
  '1w': 'snooze-1w',
  'until-recovered': 'snooze-until-recovered',
} as const satisfies Record<string, Answer>;

/**
 * `deltawatch ack`: acknowledges or snoozes alerts, like the links in messages. `--json` prints a list of
 * `AnswerReport`; exit code 1 if one of them has no effect.
 */
export function ackCommand(clock: Clock = systemClock): Command {
  return ofInstallation(
    new Command('ack')
      .description('Acknowledge an alert and notify its channels')
      .argument('<rule>', 'Rule id, as "deltawatch alerts" shows it')
      .option('--segment <value>', 'Segment, if several are firing')
      .option('--all', 'All firing segments of the rule'),
  )
    .addOption(
      new Option('--snooze <how long>', 'Snooze its notifications instead').choices(Object.keys(SNOOZES)),
    )
    .option('--reason <text>', 'Why, or what you do about it', reason, '')
    .addOption(asOption())
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['ack purchases --reason "the payment provider is down"', 'Acknowledge'],
        ['ack purchases --snooze 1d', 'Snooze until tomorrow'],
      ),
    )
    .action(
      async (rule: string, { segment, all = false, snooze, reason, as: by, json, ...place }: Options) => {
        const answer = snooze === undefined ? 'acknowledge' : SNOOZES[snooze];
        const reports = await withInstallation(place, clock, (each) =>
          answerAlerts({ rule, segment, all }, answer, { by, reason }, each, clock),
        );
        if (json) console.log(JSON.stringify(reports));
        else for (const each of reports) console.log(`${subjectOf(each)}: ${outcomeText(each, by, snooze)}`);
        if (reports.some(({ isDone }) => !isDone)) process.exitCode = 1;
      },
    );
}

function outcomeText({ isDone, reason }: AnswerReport, by: string, snooze: string | undefined): string {
  if (!isDone) return printable(reason);
  const what =
    snooze === undefined
      ? 'acknowledged'
      : `snoozed ${snooze.startsWith('until') ? 'until it recovers' : `for ${snooze}`}`;
  return `${what}, as ${printable(by)}`;
}
