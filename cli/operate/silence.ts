import { randomUUID } from 'node:crypto';
import { InvalidArgumentError, Option } from 'commander';
import { appAlertKey } from '../../shared/alerts/app-alert.ts';
import { loadStatus, openIn } from '../../shared/responding/alert-status.ts';
import { addSilence, endSilence, matchText } from '../../shared/responding/silencing.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { type Clock, type Millis, systemClock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { MATCH_KEYS, type Match, matchedOf, matches } from '../../shared/silences/matching.ts';
import { LONGEST_SILENCE_DAYS, type Silence, silenceFormSchema } from '../../shared/silences/silence.ts';
import type { Stores } from '../../shared/store/stores.ts';
import { counted } from '../../shared/text/counted.ts';
import { iso } from '../../shared/time/iso.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { asOption, givenReason } from '../options/author-option.ts';
import { type InstallationOptions, ofInstallation, withInstallation } from '../options/installation.ts';
import { duration, instant } from '../terminal/arguments.ts';
import { Command, withUsage } from '../terminal/command.ts';
import { itemWithId, shortId } from '../terminal/short-id.ts';
import { tableText } from '../terminal/table.ts';
import { minuteText } from '../terminal/times.ts';

/** What `--match` gives; `*` in a pattern matches any text. */
type Patterns = Partial<Record<keyof Match, string>>;

interface JsonOptions extends InstallationOptions {
  json?: true;
}

interface AddOptions extends JsonOptions {
  match: Patterns;
  for?: Millis;
  until?: Millis;
  reason: string;
  as: string;
}

/** "app, rule, owner, severity or segment". */
const KEYS = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(MATCH_KEYS);

/** `deltawatch silence`: stops notifications for a time. */
export function silenceCommand(clock: Clock = systemClock): Command {
  const command = withUsage(new Command('silence'))
    .description('Add, list and end silences: matching alerts send no notifications')
    .example('silence add --match app=demo --for 4h --reason "data migration"', 'All alerts of an app')
    .example('silence add --match segment=DE --for 2d --reason holiday', 'One segment')
    .example('silence list', 'Active silences with their ids');
  addAdd(command, clock);
  addList(command, clock);
  addExpire(command, clock);
  return command;
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
    .example('silence add --match app=demo --for 4h --reason "data migration"', 'All alerts of an app')
    .example('silence add --match segment=DE --for 2d --reason holiday', 'One segment')
    .action(async (options: AddOptions) => {
      const { reason, as: by, json } = options;
      const now = clock.now();
      const untilAt = endOf(options, now);
      const form = silenceFormSchema.safeParse({ ...options.match, hours: (untilAt - now) / HOUR_MS });
      if (!form.success)
        throw new InvalidRequestError('narrow the silence with --match: it cannot match everything');
      const { match } = form.data;
      await withInstallation(options, clock, async ({ stores }) => {
        const status = await loadStatus(stores, now);
        if (status.rules.length > 0 && !matchesRule(match, status.rules))
          throw new InvalidRequestError(`no deployed rule or app matches ${printable(matchText(match))}`);
        const added = await addSilence(
          { id: randomUUID(), match, untilAt },
          { by, reason, how: 'cli' },
          now,
          stores,
        );
        const held = openIn(status).filter((each) => matches(match, matchedOf(each)));
        const text = `Added silence ${shortId(added.id)} until ${minuteText(untilAt)}; it matches ${counted(held.length, 'open alert')}.`;
        console.log(json ? JSON.stringify(plainSilence(added)) : text);
      });
    });
}

function endOf({ for: length, until }: AddOptions, now: Millis): Millis {
  if (length === undefined && until === undefined)
    throw new InvalidRequestError('set the end with --for or --until');
  const untilAt = until ?? now + (length ?? 0);
  if (untilAt <= now) throw new InvalidRequestError('--until must be in the future');
  if (untilAt - now > LONGEST_SILENCE_DAYS * DAY_MS)
    throw new InvalidRequestError(
      `a silence lasts at most ${LONGEST_SILENCE_DAYS} days; remove a rule that must never notify`,
    );
  return untilAt;
}

/** Whether it matches some segment of a rule, or the alert of an app that sends no data. */
function matchesRule({ segment: _, ...match }: Match, rules: Rule[]): boolean {
  return rules.some(
    (rule) =>
      matches(match, matchedOf({ alert: { ruleId: rule.id, segment: null }, rule })) ||
      matches(match, matchedOf({ alert: appAlertKey(rule.app), rule: undefined })),
  );
}

function addList(parent: Command, clock: Clock): void {
  ofInstallation(parent.command('list'))
    .description('List active silences, by end time')
    .option('--json', 'Print one JSON document')
    .example('silence list', 'Active silences')
    .action(async (options: JsonOptions) => {
      const silences = await withInstallation(options, clock, ({ stores }) =>
        activeSilences(stores, clock.now()),
      );
      if (options.json) console.log(JSON.stringify(silences.map(plainSilence)));
      else console.log(silences.length === 0 ? 'No silences.' : silenceTable(silences));
    });
}

function addExpire(parent: Command, clock: Clock): void {
  ofInstallation(parent.command('expire'))
    .description('End a silence now')
    .argument('<id>', 'Id, or the start of it')
    .addOption(asOption())
    .option('--json', 'Print one JSON document')
    .example('silence expire 5f3a4f83', 'By id, or the start of an id')
    .action(async (start: string, options: JsonOptions & { as: string }) => {
      const ended = await withInstallation(options, clock, async ({ stores }) => {
        const [now, about] = [clock.now(), { noun: 'active silence', list: 'deltawatch silence list' }];
        const found = itemWithId(await activeSilences(stores, now), start, about);
        return (await endSilence(found.id, { by: options.as, how: 'cli' }, now, stores)) ?? found;
      });
      const text = `Ended silence ${shortId(ended.id)}. Matching alerts that still fire send notifications now.`;
      console.log(options.json ? JSON.stringify(plainSilence(ended)) : text);
    });
}

/** Soonest end first. */
async function activeSilences({ silences }: Stores, now: Millis): Promise<Silence[]> {
  const stored = await silences.loadAll();
  return stored.filter(({ untilAt }) => untilAt > now).toSorted((a, b) => a.untilAt - b.untilAt);
}

function matchOf(text: string, before: Patterns = {}): Patterns {
  const [, word, pattern] = /^([a-z]+)=(.+)$/s.exec(text) ?? [];
  const key = MATCH_KEYS.find((each) => each === word);
  if (key === undefined || pattern === undefined)
    throw new InvalidArgumentError(
      `Use KEY=PATTERN, such as rule=purchases-*; KEY is one of ${MATCH_KEYS.join(', ')}.`,
    );
  if (Object.hasOwn(before, key)) throw new InvalidArgumentError(`Use ${key} once; "*" matches any text.`);
  return { ...before, [key]: pattern };
}

/** A silence in `--json` output. Times are ISO 8601 in UTC. */
function plainSilence({ fromAt, untilAt, at, ...silence }: Silence) {
  return { ...silence, from: iso(fromAt), until: iso(untilAt), at: iso(at) };
}

function silenceTable(silences: Silence[]): string {
  return tableText(
    { ID: {}, MATCH: { width: 25 }, 'UNTIL (UTC)': {}, BY: { width: 9 }, REASON: { width: 14 } },
    silences.map(({ id, match, untilAt, by, reason }) => [
      shortId(id),
      printable(matchText(match)),
      minuteText(untilAt).slice(0, 16),
      printable(by),
      printable(reason),
    ]),
  );
}
