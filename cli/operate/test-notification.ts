import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { progressLine } from '../../local/terminal.ts';
import { isPager } from '../../shared/channels/kinds.ts';
import { definedText } from '../../shared/notifications/route-faults.ts';
import type { Routes } from '../../shared/notifications/routes.ts';
import {
  newTestNotification,
  type TestNotification,
  type TestNotificationStore,
  type TestOutcome,
} from '../../shared/notifications/test-notification.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';
import { deployedRules } from '../../workbench/find-rule.ts';
import { asOption } from '../options/author-option.ts';
import { type InstallationOptions, ofInstallation, withInstallation } from '../options/installation.ts';
import { examples } from '../terminal/arguments.ts';
import { interruption } from '../terminal/interruption.ts';
import { minuteText } from '../terminal/times.ts';
import { safeLines } from '../terminal/wrapping.ts';

interface Options extends InstallationOptions {
  as: string;
  json?: true;
}

/**
 * `deltawatch test-notification`. `--json` prints `{by, at, channels: [{channel, kind: "sent" | "kept" |
 * "refused" | "not-sent", reason?}]}`, `at` as ISO 8601. Exit code 1 if a channel rejected its message.
 */
export function testNotificationCommand(clock: Clock = systemClock): Command {
  return ofInstallation(
    new Command('test-notification')
      .description('Send a test message to channels')
      .argument('[channel...]', 'Channels of routes.yaml; default: all'),
  )
    .addOption(asOption())
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      examples(['test-notification', 'Do all channels work?'], ['test-notification pager', 'Does this one?']),
    )
    .action((names: string[], options: Options) => testNotification(names, options, clock));
}

async function testNotification(names: string[], options: Options, clock: Clock): Promise<void> {
  const { as: by, json, state } = options;
  await withInstallation(options, clock, async (installation) => {
    if (!installation.isRunning)
      throw new ConfigError(
        `no Deltawatch is running in ${state} to send it: start it with "npx deltawatch start"`,
      );
    const { routes } = await deployedRules(installation.stores.rules);
    const known = Object.keys(routes.channels);
    const strange = names.find((name) => !known.includes(name));
    if (strange !== undefined)
      throw new InvalidRequestError(
        `there is no channel "${strange}"${didYouMean(strange, known) || `; ${definedText(known)}`}`,
      );
    const channels = names.length > 0 ? names : known;
    const test = newTestNotification({ id: randomUUID(), channels, by, at: clock.now() });
    console.error(safeLines(`Waiting for ${channels.join(', ')}: sent within a minute`).join('\n'));
    const last = await waitForTest(test, installation.stores.testNotifications, clock);
    if (json) console.log(JSON.stringify(documentOf(last)));
    else for (const each of outcomesOf(last)) console.log(safeLines(textOf(each, routes)).join('\n'));
    if (outcomesOf(last).some(({ kind }) => kind === 'refused' || kind === 'not-sent')) process.exitCode = 1;
  });
}

type Reported = TestOutcome | { channel: string; kind: 'not-sent'; reason: string };

/** The outcome of each channel after the wait. */
function outcomesOf({ channels, outcomes, takenAt, untilAt }: TestNotification): Reported[] {
  if (outcomes.length > 0) return outcomes;
  const reason =
    takenAt === null
      ? `not sent yet, and not sent after ${minuteText(untilAt)}; is Deltawatch running?`
      : 'no answer; the message may have arrived';
  return channels.map((channel) => ({ channel, kind: 'not-sent', reason }));
}

function textOf(outcome: Reported, routes: Routes): string {
  const { channel } = outcome;
  switch (outcome.kind) {
    case 'sent': {
      const config = routes.channels[channel];
      const opened = config && isPager(config) ? '; an incident was opened and resolved' : '';
      return `${channel}: sent${opened}`;
    }
    case 'kept':
      return `${channel}: kept at /slack on this machine: ${outcome.reason}`;
    case 'refused':
      return `${channel}: refused: ${outcome.reason}`;
    case 'not-sent':
      return `${channel}: ${outcome.reason}`;
  }
}

function documentOf(test: TestNotification) {
  return { by: test.by, at: new Date(test.at).toISOString(), channels: outcomesOf(test) };
}

const POLL_MS = 1_000;

/** The maximum run time of the notify function. */
const SENDING_MS = 60_000;

/** Requests a test message. Waits until it is sent, expires or Ctrl-C is pressed, and returns its last state. */
async function waitForTest(
  test: TestNotification,
  store: TestNotificationStore,
  clock: Clock,
): Promise<TestNotification> {
  const [line, signal] = [progressLine(), interruption()];
  await store.save(test);
  for (;;) {
    const now = clock.now();
    const last = (await store.load(test.id)) ?? test;
    const untilAt = last.takenAt === null ? last.untilAt : last.takenAt + SENDING_MS;
    if (last.outcomes.length > 0 || now >= untilAt || signal.aborted) {
      line.end();
      return last;
    }
    const waitedMs = now - test.at;
    line.show(`Waiting for ${Math.round(waitedMs / 1000)} s`, waitedMs, test.untilAt - test.at);
    await clock.sleep(POLL_MS);
  }
}
