import { Command, Option } from 'commander';
import type { Installation } from '../../local/installation.ts';
import type { Alert, Answer } from '../../shared/alerts/alert.ts';
import { firingSince } from '../../shared/alerts/answers.ts';
import type { Author } from '../../shared/alerts/author.ts';
import { momentsIn } from '../../shared/messages/figure-text.ts';
import { giveAnswer, outcomeText } from '../../shared/responding/give-answer.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { dynamodbUsedLinks } from '../../shared/store/dynamodb/used-links.ts';
import { counted } from '../../shared/text/counted.ts';
import { quoted } from '../../shared/text/quoted.ts';
import { asOption, reason } from '../options/author-option.ts';
import {
  type InstallationOptions,
  ofInstallation,
  requireRule,
  withInstallation,
} from '../options/installation.ts';
import { examples } from '../terminal/arguments.ts';
import { subjectOf } from './alerts.ts';

interface Options extends InstallationOptions {
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
        else for (const each of reports) console.log(`${subjectOf(each)}: ${reportText(each, by, snooze)}`);
        if (reports.some(({ isDone }) => !isDone)) process.exitCode = 1;
      },
    );
}

function reportText({ isDone, reason }: AnswerReport, by: string, snooze: string | undefined): string {
  if (!isDone) return printable(reason);
  const what =
    snooze === undefined
      ? 'acknowledged'
      : `snoozed ${snooze.startsWith('until') ? 'until it recovers' : `for ${snooze}`}`;
  return `${what}, as ${printable(by)}`;
}

/** Which alerts to answer: the firing alert of a rule, one segment, or all. */
interface Answered {
  rule: string;
  /** Omitted: the only firing alert. */
  segment?: string | undefined;
  all: boolean;
}

/** The outcome for one alert; `reason` is a sentence. */
interface AnswerReport {
  rule: string;
  segment: string | null;
  isDone: boolean;
  reason: string;
}

/** Maximum number of listed segments; the others are only counted. */
const NAMED = 10;

/**
 * Answers alerts like links and the page, and notifies. Throws `ConfigError` if no alert of the rule fires, and
 * `InvalidRequestError` if several segments fire and none is selected.
 */
async function answerAlerts(
  answered: Answered,
  answer: Answer,
  who: Author,
  installation: Installation,
  clock: Clock,
): Promise<AnswerReport[]> {
  const { stores, table } = installation;
  await requireRule(answered.rule, installation);
  const firing = await firingOf(answered, stores.alerts);
  const deps = { rules: stores.rules, alerts: stores.alerts, used: dynamodbUsedLinks(table), clock };
  const reports: AnswerReport[] = [];
  for (const { segment, acknowledged } of firing) {
    if (answer === 'acknowledge' && acknowledged?.by === who.by) {
      reports.push({ rule: answered.rule, segment, isDone: true, reason: 'You already acknowledged it' });
      continue;
    }
    const key = { ruleId: answered.rule, segment };
    const outcome = await giveAnswer({ key, answer, firedWindowEndAt: undefined, link: null }, who, deps);
    const reason = outcomeText(outcome, momentsIn('UTC'));
    reports.push({ rule: answered.rule, segment, isDone: outcome.kind === 'answered', reason });
  }
  return reports;
}

async function firingOf(
  { rule, segment, all }: Answered,
  alerts: Installation['stores']['alerts'],
): Promise<Alert[]> {
  const firing = (await alerts.loadOfRule(rule)).filter((alert) => firingSince(alert) !== null);
  const wanted = firing.filter((each) => segment === undefined || each.segment === segment);
  if (wanted.length === 0) throw new ConfigError(nothingText(rule, segment, firing.length));
  if (wanted.length > 1 && !all)
    throw new InvalidRequestError(
      `${counted(wanted.length, 'segment')} of ${rule} fire: choose one with --segment, or use --all\n${listed(wanted.map((each) => each.segment))}`,
    );
  return wanted;
}

function nothingText(rule: string, segment: string | undefined, firing: number): string {
  if (segment === undefined || firing === 0)
    return `${rule} has no open alert; list open alerts with: deltawatch alerts`;
  return `the segment ${quoted(segment)} of ${rule} does not fire; list those that do with: deltawatch alerts --rule ${rule}`;
}

function listed(segments: (string | null)[]): string {
  const more = segments.length > NAMED ? [`  and ${segments.length - NAMED} more`] : [];
  return [...segments.slice(0, NAMED).map((each) => `  ${quoted(each ?? '')}`), ...more].join('\n');
}
