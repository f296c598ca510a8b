import { Command, InvalidArgumentError, Option } from 'commander';
import { type Clock, type Millis, systemClock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { MATCH_KEYS } from '../../shared/silences/matching.ts';
import { counted } from '../../shared/text/counted.ts';
import { asOption, givenReason } from '../options/author-option.ts';
import { type InstallationOptions, ofInstallation, withInstallation } from '../options/installation.ts';
import { duration, examples, instant } from '../terminal/arguments.ts';
import { minuteText } from '../terminal/minute-text.ts';
import { withUsage } from '../terminal/usage.ts';
import { safeLines } from '../terminal/wrapping.ts';
import {
  type AskedSilence,
  expireSilence,
  listSilences,
  plainSilence,
  shortId,
  silence,
  silenceTable,
} from './silencing.ts';

/** "app, rule, owner, severity or segment". */
const KEYS = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(MATCH_KEYS);

const TO_ADD: [command: string, purpose: string][] = [
  ['silence add --match app=demo --for 4h --reason "data migration"', 'All alerts of an app'],
  ['silence add --match rule=purchases --match segment=Germany --for 2d --reason holiday', 'One segment'],
];

/** `deltawatch silence`: stops notifications for a time. */
export function silenceCommand(clock: Clock = systemClock): Command {
  const command = withUsage(new Command('silence'))
    .description('Add, list and end silences: matching alerts send no notifications')
    .addHelpText('after', examples(...TO_ADD, ['silence list', 'Active silences with their ids']));
  addAdd(command, clock);
  addList(command, clock);
  addExpire(command, clock);
  return command;
}

interface AddOptions extends InstallationOptions {
  match: AskedSilence['match'];
  for?: Millis;
  until?: Millis;
  reason: string;
  as: string;
  json?: true;
}

function addAdd(parent: Command, clock: Clock): void {
  const command = parent
    .command('add')
    .description('Send no notifications for matching alerts, starting now')
    .requiredOption(
      '--match <key=pattern>',
      `Alerts to match, by ${KEYS}; "*" matches any text; can be repeated, and then all must match`,
      matchOf,
    )
    .addOption(
      new Option('--for <how long>', 'Duration, such as 4h or 2d').argParser(duration).conflicts('until'),
    )
    .option('--until <time>', 'End, such as 2026-03-01 or 2026-03-01T06:00Z', instant)
    .requiredOption('--reason <text>', 'Reason, shown with the silence', givenReason);
  ofInstallation(command)
    .addOption(asOption())
    .option('--json', 'Print one JSON document')
    .addHelpText('after', examples(...TO_ADD))
    .action(async (options: AddOptions) => {
      const { match, reason, as: by, json, ...place } = options;
      const now = clock.now();
      const untilAt = endOf(options, now);
      const added = await withInstallation(place, clock, ({ stores }) =>
        silence({ match, untilAt }, { by, reason }, stores, now),
      );
      if (added.note !== null) console.error(safeLines(`note: ${added.note}`).join('\n'));
      if (json) console.log(JSON.stringify(plainSilence(added)));
      else
        console.log(
          `Added silence ${shortId(added.id)} until ${minuteText(added.untilAt)}; it matches ${counted(added.holds, 'open alert')}.`,
        );
    });
}

function endOf({ for: length, until }: AddOptions, now: Millis): Millis {
  if (length === undefined && until === undefined)
    throw new InvalidRequestError('set the end with --for or --until');
  if (until !== undefined && until <= now) throw new InvalidRequestError('--until must be in the future');
  return until ?? now + (length ?? 0);
}

function addList(parent: Command, clock: Clock): void {
  ofInstallation(parent.command('list'))
    .addHelpText(
      'after',
      examples(['silence list', 'Active silences'], ['silence list --all', 'Ended silences too']),
    )
    .description('List active silences, by end time')
    .option('--all', 'Include silences that ended in the last 30 days')
    .option('--json', 'Print one JSON document')
    .action(async ({ all = false, json, ...place }: InstallationOptions & { all?: boolean; json?: true }) => {
      const now = clock.now();
      const silences = await withInstallation(place, clock, ({ stores }) => listSilences(stores, all, now));
      if (json) console.log(JSON.stringify(silences.map(plainSilence)));
      else console.log(silences.length === 0 ? 'No silences.' : silenceTable(silences));
    });
}

function addExpire(parent: Command, clock: Clock): void {
  ofInstallation(parent.command('expire'))
    .addHelpText('after', examples(['silence expire 5f3a4f83', 'By id, or the start of an id']))
    .description('End a silence now')
    .argument('<id>', 'Id, or the start of it')
    .option('--json', 'Print one JSON document')
    .action(async (id: string, { json, ...place }: InstallationOptions & { json?: true }) => {
      const ended = await withInstallation(place, clock, ({ stores }) =>
        expireSilence(id, stores, clock.now()),
      );
      if (json) console.log(JSON.stringify(plainSilence(ended)));
      else
        console.log(
          `Ended silence ${shortId(ended.id)}. Matching alerts that still fire send notifications now.`,
        );
    });
}

function matchOf(text: string, before: AskedSilence['match'] = {}): AskedSilence['match'] {
  const [, word, pattern] = /^([a-z]+)=(.+)$/s.exec(text) ?? [];
  const key = MATCH_KEYS.find((each) => each === word);
  if (key === undefined || pattern === undefined)
    throw new InvalidArgumentError(
      `Use KEY=PATTERN, such as rule=purchases-*; KEY is one of ${MATCH_KEYS.join(', ')}.`,
    );
  if (Object.hasOwn(before, key)) throw new InvalidArgumentError(`Use ${key} once; "*" matches any text.`);
  return { ...before, [key]: pattern };
}
