import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import type { Installation } from '../../local/installation.ts';
import { progressLine } from '../../local/terminal.ts';
import { isPager } from '../../shared/channels/kinds.ts';
import { definedText } from '../../shared/notifications/route-faults.ts';
import { type Routes, settingsOf } from '../../shared/notifications/routes.ts';
import type { TestNotificationStore } from '../../shared/notifications/test-notification.ts';
import {
  newTestNotification,
  type TestNotification,
  type TestOutcome,
} from '../../shared/notifications/test-notification.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';
import { asOption } from '../options/author-option.ts';
import { type InstallationOptions, ofInstallation, withInstallation } from '../options/installation.ts';
import { examples } from '../terminal/arguments.ts';
import { interruption } from '../terminal/interruption.ts';
import { minuteText } from '../terminal/minute-text.ts';
import { safeLines } from '../terminal/wrapping.ts';

interface Options extends InstallationOptions {
  channel?: string;
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
      .description('Send a test message to the channels of a route, or to all channels')
      .argument('[route]', 'Route of routes.yaml, or "default"; default: all channels')
      .option('--channel <name>', 'Only this channel'),
  )
    .addOption(asOption())
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['test-notification', 'Do all channels work?'],
        ['test-notification checkout --channel pager', 'Does this one?'],
      ),
    )
    .action((route: string | undefined, options: Options) => testNotification(route, options, clock));
}

async function testNotification(route: string | undefined, options: Options, clock: Clock): Promise<void> {
  const { channel, as: by, json, ...place } = options;
  await withInstallation(place, clock, async (installation) => {
    if (!installation.isRunning)
      throw new ConfigError(
        `no Deltawatch is running in ${place.state} to send it: start it with "npx deltawatch start"`,
      );
    const routes = await deployedRoutes(installation);
    const channels = channelsOf({ route, channel }, routes);
    const test = newTestNotification({ id: randomUUID(), channels, by, at: clock.now() });
    console.error(safeLines(`Waiting for ${channels.join(', ')}: sent within a minute`).join('\n'));
    const line = progressLine();
    const onWait = (waitedMs: number) =>
      line.show(`Waiting for ${Math.round(waitedMs / 1000)} s`, waitedMs, test.untilAt - test.at);
    const { testNotifications } = installation.stores;
    const last = await waitForTest(test, { testNotifications, clock, signal: interruption(), onWait });
    line.end();
    if (json) console.log(JSON.stringify(documentOf(last)));
    else for (const each of outcomesOf(last)) console.log(safeLines(textOf(each, routes)).join('\n'));
    if (outcomesOf(last).some(({ kind }) => kind === 'refused' || kind === 'not-sent')) process.exitCode = 1;
  });
}

async function deployedRoutes({ stores, description }: Installation): Promise<Routes> {
  const ruleSet = await stores.rules.loadCurrent();
  if (!ruleSet) throw new ConfigError(`no rules are deployed in ${description}: deploy them with "apply"`);
  return ruleSet.routes;
}

function channelsOf(
  { route, channel }: { route?: string | undefined; channel?: string | undefined },
  routes: Routes,
) {
  const names = ['default', ...routes.routes.map(({ name }) => name)];
  if (route !== undefined && !names.includes(route))
    throw new InvalidRequestError(
      `there is no route "${route}"${didYouMean(route, names) || `; ${definedText(names)}`}`,
    );
  const channels = route === undefined ? Object.keys(routes.channels) : settingsOf(route, routes).channels;
  if (channel === undefined) return channels;
  if (channels.includes(channel)) return [channel];
  const where = route === undefined ? 'there is' : `the route ${route} has`;
  throw new InvalidRequestError(
    `${where} no channel "${channel}"${didYouMean(channel, channels) || `; ${definedText(channels)}`}`,
  );
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

interface WaitForTestDeps {
  testNotifications: TestNotificationStore;
  clock: Clock;
  signal?: AbortSignal;
  onWait?: (waitedMs: number) => void;
}

const POLL_MS = 1_000;

/** The maximum run time of the notify function. */
const SENDING_MS = 60_000;

/**
 * Requests a test notification. Waits until it is sent, expires or is aborted by the signal, and returns its last
 * state.
 */
async function waitForTest(test: TestNotification, deps: WaitForTestDeps): Promise<TestNotification> {
  const { testNotifications, clock, signal, onWait } = deps;
  await testNotifications.save(test);
  for (;;) {
    const now = clock.now();
    const last = (await testNotifications.load(test.id)) ?? test;
    const untilAt = last.takenAt === null ? last.untilAt : last.takenAt + SENDING_MS;
    if (last.outcomes.length > 0 || now >= untilAt || signal?.aborted) return last;
    onWait?.(now - test.at);
    await clock.sleep(POLL_MS);
  }
}
