import { Option } from 'commander';
import { type Alert, SNOOZES } from '../../shared/alerts/alert.ts';
import { firingSince } from '../../shared/alerts/answers.ts';
import { type Given, giveAnswer, outcomeText } from '../../shared/responding/give-answer.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { usedLinksIn } from '../../shared/store/used-links.ts';
import { counted } from '../../shared/text/counted.ts';
import { quoted } from '../../shared/text/quoted.ts';
import { asOption, reason } from '../options/author-option.ts';
import {
  type InstallationOptions,
  ofInstallation,
  requireRule,
  withInstallation,
} from '../options/installation.ts';
import { Command } from '../terminal/command.ts';
import { subjectOf } from './alerts.ts';

interface Options extends InstallationOptions {
  segment?: string;
  all?: boolean;
  snooze?: keyof typeof SNOOZES;
  reason: string;
  as: string;
  json?: true;
}

/** `deltawatch ack`. `--json` prints a list of `AnswerReport`; exit code 1 if one of them has no effect. */
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
    .example('ack purchases --reason "the payment provider is down"', 'Acknowledge')
    .example('ack purchases --snooze 1d', 'Snooze until tomorrow')
    .action(async (rule: string, options: Options) => {
      const { snooze, reason, as: by, json } = options;
      const answer = snooze === undefined ? 'acknowledge' : SNOOZES[snooze];
      const reports = await withInstallation(options, clock, async (installation) => {
        const { stores, table } = installation;
        await requireRule(rule, installation);
        const deps = {
          rules: stores.rules,
          alerts: stores.alerts,
          used: usedLinksIn(table),
          audit: stores.audit,
          clock,
        };
        const answered: { rule: string; segment: string | null; isDone: boolean; reason: string }[] = [];
        for (const { segment } of firingOf(rule, options, await stores.alerts.loadOfRule(rule))) {
          const key = { ruleId: rule, segment };
          const given: Given = { key, answer, firedWindowEndAt: undefined, link: null };
          const outcome = await giveAnswer(given, { by, reason, how: 'cli' }, deps);
          const text = outcomeText(outcome, 'UTC');
          answered.push({ rule, segment, isDone: outcome.kind === 'answered', reason: text });
        }
        return answered;
      });
      const what = snooze === undefined ? 'acknowledged' : `snoozed (${snooze})`;
      const lines = reports.map((each) => {
        const text = each.isDone ? `${what}, as ${by}` : each.reason;
        return `${subjectOf(each)}: ${printable(text)}`;
      });
      console.log(json ? JSON.stringify(reports) : lines.join('\n'));
      if (reports.some(({ isDone }) => !isDone)) process.exitCode = 1;
    });
}

/** Throws `ConfigError` if none fires, and `InvalidRequestError` if several segments fire and none is selected. */
function firingOf(rule: string, { segment, all }: Options, alerts: Alert[]): Alert[] {
  const wanted = alerts.filter(
    (alert) => firingSince(alert) !== null && (segment === undefined || alert.segment === segment),
  );
  const list = `deltawatch alerts --rule ${rule}`;
  if (wanted.length === 0) {
    const which = segment === undefined ? '' : ` of the segment ${quoted(segment)}`;
    throw new ConfigError(`${rule} has no open alert${which}; list those that are open with: ${list}`);
  }
  if (wanted.length > 1 && !all)
    throw new InvalidRequestError(
      `${counted(wanted.length, 'segment')} of ${rule} fire: use --all, or choose one with --segment; list them with: ${list}`,
    );
  return wanted;
}
