import { Command, Option } from 'commander';
import { type DrillOutcome, holdDrill } from '../local/fire-drill.ts';
import type { Installation, Place } from '../local/installation.ts';
import { progressLine } from '../local/terminal.ts';
import type { Drill } from '../shared/alerting/drill-debts.ts';
import { drillNotes } from '../shared/alerting/drill-notes.ts';
import { didYouMean } from '../shared/alerting/nearest-words.ts';
import type { RuleSet } from '../shared/alerting/ports.ts';
import { type Routes, settingsOf } from '../shared/alerting/routes.ts';
import { SEVERITIES, type Severity } from '../shared/alerting/rule.ts';
import { type Clock, type Millis, systemClock } from '../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError } from '../shared/runtime/errors.ts';
import { printable } from '../shared/runtime/redaction.ts';
import { duration, examples } from './arguments.ts';
import { ofInstallation, withInstallation } from './installation.ts';
import { interruption } from './interruption.ts';
import { minuteText } from './minute-text.ts';
import { safeLines } from './safe-lines.ts';
import { asOption, reason } from './who.ts';
import { wrapped } from './wrapping.ts';

interface Options extends Place {
  channel?: string;
  wait: Millis;
  severity: Severity;
  reason?: string;
  as: string;
  json?: true;
}

const MINUTE_MS = 60_000;
/** Before a drill is withdrawn by itself. */
const LONGEST_WAIT_MS = 10 * MINUTE_MS;

/**
 * `deltawatch fire-drill`: a message that says it is a drill, by the way that alerts take. `--json` prints `{route, by,
 * at, notes, channels: [{channel, kind: "sent" | "kept" | "refused" | "unsent", afterSeconds?, reason?}]}`, `at` as ISO
 * 8601. Exit code 1 where a channel did not take it.
 */
export function fireDrillCommand(clock: Clock = systemClock): Command {
  return ofInstallation(
    new Command('fire-drill')
      .description('send a marked test message by a route, and say who took it')
      .argument('<route>', 'a route of routes.yaml, or "default"')
      .option('--channel <name>', 'only this channel of the route')
      .addOption(
        new Option('--wait <time>', 'how long the channels have')
          .argParser(duration)
          .default(2 * MINUTE_MS, '2m'),
      )
      .addOption(
        new Option('--severity <word>', 'how grave pagers and programs take it')
          .choices(SEVERITIES)
          .default('info'),
      )
      .option('--reason <text>', 'why, for those who read it', reason),
  )
    .addOption(asOption())
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['fire-drill checkout', 'does everybody on the route hear?'],
        ['fire-drill checkout --channel pager --severity critical', 'does the pager ring?'],
      ),
    )
    .action((route: string, options: Options) => fireDrill(route, options, clock));
}

async function fireDrill(route: string, options: Options, clock: Clock): Promise<void> {
  const { channel, wait: waitMs, severity, reason: why = '', as: by, json, ...place } = options;
  if (waitMs > LONGEST_WAIT_MS) throw new InvalidRequestError('--wait is ten minutes at most');
  await withInstallation(place, clock, async (installation) => {
    const { stores, isRunning } = installation;
    if (!isRunning)
      throw new ConfigError(
        `nobody would send it: nothing runs in ${place.state}, so start it first with "npm start"`,
      );
    const ruleSet = await rulesInForce(installation);
    const channels = channelsOf(route, channel, ruleSet.routes);
    const drill = { route, channels, by, reason: why, severity, at: clock.now() };
    const notes = drillNotes(route, ruleSet, await stores.silences.loadAll(), drill.at);
    for (const note of notes) console.error(safeLines(`note: ${note}`).join('\n'));
    const waiting = `Waiting for ${channels.join(', ')}: what is owed is sent within a minute`;
    console.error(safeLines(waiting).join('\n'));
    const line = progressLine();
    const onWait = (waitedMs: number) => line.show(`Waiting for ${secondsOf(waitedMs)} s`, waitedMs, waitMs);
    const deps = { ...stores, clock };
    const outcomes = await holdDrill(drill, { waitMs, signal: interruption(), onWait }, deps);
    line.end();
    const lines = outcomes.flatMap((each) => wrapped(outcomeText(each, clock.now() - drill.at)));
    if (outcomes.some(({ kind }) => kind === 'sent')) lines.push(IS_OVER);
    console.log(json ? JSON.stringify(documentOf(drill, notes, outcomes)) : lines.join('\n'));
    if (outcomes.some(isMissed)) process.exitCode = 1;
  });
}

const IS_OVER = 'That it is over is told in a minute or two, and closes what a pager opened.';

async function rulesInForce({ stores, description }: Installation): Promise<RuleSet> {
  const ruleSet = await stores.rules.loadCurrent();
  if (!ruleSet) throw new ConfigError(`no rules are in force in ${description}: put them there with "apply"`);
  return ruleSet;
}

function channelsOf(route: string, wanted: string | undefined, routes: Routes): string[] {
  const names = ['default', ...routes.routes.map(({ name }) => name)];
  if (!names.includes(route))
    throw new InvalidRequestError(
      `there is no route "${route}"${didYouMean(route, names)}; there are ${names.join(', ')}`,
    );
  const { channels } = settingsOf(route, routes);
  if (wanted === undefined) return channels;
  if (channels.includes(wanted)) return [wanted];
  throw new InvalidRequestError(
    `the route ${route} has no channel "${wanted}"; it has ${channels.join(', ')}`,
  );
}

function isMissed({ kind }: DrillOutcome): boolean {
  return kind === 'refused' || kind === 'unsent';
}

function outcomeText(outcome: DrillOutcome, waitedMs: number): string {
  switch (outcome.kind) {
    case 'sent':
      return `${outcome.channel}: sent after ${secondsOf(outcome.afterMs)} s`;
    case 'kept':
      return `${outcome.channel}: kept on this machine after ${secondsOf(outcome.afterMs)} s (${printable(outcome.reason)})`;
    case 'refused':
      return `${outcome.channel}: refused, and taken back: ${printable(outcome.reason)}`;
    case 'unsent':
      return `${outcome.channel}: not sent within ${secondsOf(waitedMs)} s, and taken back: ${unsentCause(outcome)}`;
  }
}

/** Behind a message that a channel refuses, the others wait. */
function unsentCause({ refusing }: DrillOutcome & { kind: 'unsent' }): string {
  if (!refusing) return 'is Deltawatch running?';
  const since = minuteText(Date.parse(refusing.since));
  return `the channel refuses messages since ${since}: ${printable(refusing.reason)}`;
}

function documentOf({ route, by, at }: Drill, notes: string[], outcomes: DrillOutcome[]) {
  const channels = outcomes.map(({ channel, kind, ...more }) => ({
    ...{ channel, kind },
    ...('afterMs' in more && { afterSeconds: secondsOf(more.afterMs) }),
    ...('reason' in more && { reason: more.reason }),
    ...('refusing' in more && { reason: more.refusing?.reason }),
  }));
  return { route, by, at: new Date(at).toISOString(), notes, channels };
}

function secondsOf(ms: number): number {
  return Math.round(ms / 1000);
}
