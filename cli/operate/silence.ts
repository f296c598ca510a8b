import { randomUUID } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Place } from '../../local/installation.ts';
import { counted } from '../../local/terminal.ts';
import {
  type AskedSilence,
  expireSilence,
  listSilences,
  MATCH_KEYS,
  plainSilence,
  silence,
} from '../../operations/silencing.ts';
import { type Clock, type Millis, systemClock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { asOption, givenReason } from '../options/author-option.ts';
import { ofInstallation, withInstallation } from '../options/installation.ts';
import { duration, examples, instant } from '../terminal/arguments.ts';
import { minuteText } from '../terminal/minute-text.ts';
import { safeLines } from '../terminal/safe-lines.ts';
import { withUsage } from '../terminal/usage.ts';
import { shortId, silenceTable } from './silence-text.ts';

const TO_ADD: [command: string, purpose: string][] = [
  ['silence add --match app=demo --for 4h --reason "data migration"', 'all of an app'],
  ['silence add --match rule=purchases --match segment=Germany --for 2d --reason holiday', 'one segment'],
];

/** `deltawatch silence`: what nobody is told of for a while. */
export function silenceCommand(clock: Clock = systemClock): Command {
  const command = withUsage(new Command('silence'))
    .description('add, list and end silences: judged as ever, told to nobody')
    .addHelpText('after', examples(...TO_ADD, ['silence list', 'with the ids by which they are ended']));
  addAdd(command, clock);
  addList(command, clock);
  addExpire(command, clock);
  return command;
}

interface AddOptions extends Place {
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
    .description('tell nothing of what matches, from now on')
    .requiredOption(
      '--match <key=pattern>',
      `what it is about, by ${MATCH_KEYS.join(', ')}; "*" stands for any text; repeat: all must match`,
      matchOf,
    )
    .addOption(new Option('--for <how long>', 'such as 4h or 2d').argParser(duration).conflicts('until'))
    .option('--until <time>', '2026-03-01, or 2026-03-01T06:00Z', instant)
    .requiredOption('--reason <text>', 'why, for those who wonder', givenReason);
  ofInstallation(command)
    .addOption(asOption())
    .option('--json', 'print it as JSON')
    .addHelpText('after', examples(...TO_ADD))
    .action(async (options: AddOptions) => {
      const { match, reason, as: by, json, ...place } = options;
      const untilAt = endOf(options, clock.now());
      const added = await withInstallation(place, clock, ({ stores }) =>
        silence({ match, untilAt }, { by, reason }, { stores, clock, newId: randomUUID }),
      );
      if (added.note !== null) console.error(safeLines(`note: ${added.note}`).join('\n'));
      if (json) console.log(JSON.stringify(plainSilence(added)));
      else
        console.log(
          `silence ${shortId(added.id)} holds until ${minuteText(added.untilAt)}; it is about ${counted(added.holds, 'open alert')}`,
        );
    });
}

function endOf({ for: length, until }: AddOptions, now: Millis): Millis {
  if (length === undefined && until === undefined)
    throw new InvalidRequestError('say for how long with --for, or until when with --until');
  if (until !== undefined && until <= now) throw new InvalidRequestError('--until must be still to come');
  return until ?? now + (length ?? 0);
}

function addList(parent: Command, clock: Clock): void {
  ofInstallation(parent.command('list'))
    .addHelpText(
      'after',
      examples(['silence list', 'those that hold'], ['silence list --all', 'those that are over, too']),
    )
    .description('show the silences that hold, the first to end first')
    .option('--all', 'those too that are over, for 30 days')
    .option('--json', 'print them as JSON')
    .action(async ({ all = false, json, ...place }: Place & { all?: boolean; json?: true }) => {
      const now = clock.now();
      const silences = await withInstallation(place, clock, ({ stores }) => listSilences(stores, all, now));
      if (json) console.log(JSON.stringify(silences.map(plainSilence)));
      else console.log(silences.length === 0 ? 'Nothing is silenced.' : silenceTable(silences));
    });
}

function addExpire(parent: Command, clock: Clock): void {
  ofInstallation(parent.command('expire'))
    .addHelpText('after', examples(['silence expire 5f3a4f83', 'by the id of the list, or how it begins']))
    .description('end a silence now')
    .argument('<id>', 'its id, or how it begins')
    .option('--json', 'print it as JSON')
    .action(async (id: string, { json, ...place }: Place & { json?: true }) => {
      const ended = await withInstallation(place, clock, ({ stores }) => expireSilence(id, stores, clock));
      if (json) console.log(JSON.stringify(plainSilence(ended)));
      else console.log(`silence ${shortId(ended.id)} is over: what it was about and still fires is told now`);
    });
}

function matchOf(text: string, before: AskedSilence['match'] = {}): AskedSilence['match'] {
  const [, word, pattern] = /^([a-z]+)=(.+)$/s.exec(text) ?? [];
  const key = MATCH_KEYS.find((each) => each === word);
  if (key === undefined || pattern === undefined)
    throw new InvalidArgumentError(
      `Write one of ${MATCH_KEYS.join(', ')}, "=" and a pattern: rule=purchases-*.`,
    );
  if (Object.hasOwn(before, key))
    throw new InvalidArgumentError(`Say ${key} once; a "*" stands for any text.`);
  return { ...before, [key]: pattern };
}
