import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sendTestNotifications } from '../../functions/notify/test-notifications.ts';
import { localChannels } from '../../local/channels.ts';
import { exists, ownFolder } from '../../local/files.ts';
import { openSlackInbox } from '../../local/inbox/slack-inbox.ts';
import { tableFile } from '../../local/installation.ts';
import { openLocalSecrets } from '../../local/secrets.ts';
import { progressLine, terminalLogger } from '../../local/terminal.ts';
import { definedText } from '../../shared/notifications/route-faults.ts';
import type { Routes } from '../../shared/notifications/routes.ts';
import {
  newTestNotification,
  type TestNotification,
  type TestNotificationStore,
  type TestOutcome,
} from '../../shared/notifications/test-notification.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import type { Stores } from '../../shared/store/stores.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';
import { iso } from '../../shared/time/iso.ts';
import { deployedRules } from '../../workbench/find-rule.ts';
import { asOption } from '../options/author-option.ts';
import { type InstallationOptions, ofInstallation, withInstallation } from '../options/installation.ts';
import { readRules } from '../options/read-rules.ts';
import { Command } from '../terminal/command.ts';
import { interruption } from '../terminal/interruption.ts';
import { minuteText } from '../terminal/times.ts';
import { safeLines } from '../terminal/wrapping.ts';

interface Options extends InstallationOptions {
  rules: string;
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
    .option('--rules <dir>', 'Folder of the routes while no Deltawatch runs on this machine', 'rules')
    .option('--json', 'Print one JSON document')
    .example('test-notification', 'Do all channels work?')
    .example('test-notification pager', 'Does this one?')
    .action((names: string[], options: Options) => testNotification(names, options, clock));
}

async function testNotification(names: string[], options: Options, clock: Clock): Promise<void> {
  const { json, state, stage } = options;
  const sendHere = () => sentHere(names, options, clock);
  const isFirst = stage === undefined && !(await exists(tableFile(state)));
  const test = isFirst
    ? await sendHere()
    : await withInstallation(options, clock, ({ isRunning, stores }) =>
        isRunning ? sentThere(names, options, { stores, clock }) : sendHere(),
      );
  const channels = outcomesOf(test);
  if (json) console.log(JSON.stringify({ by: test.by, at: iso(test.at), channels }));
  else for (const each of channels) console.log(safeLines(textOf(each)).join('\n'));
  if (channels.some(({ kind }) => kind === 'refused' || kind === 'not-sent')) process.exitCode = 1;
}

/** Sent by the process that runs, to the deployed channels. */
async function sentThere(
  names: string[],
  { as: by }: Options,
  { stores, clock }: { stores: Stores; clock: Clock },
): Promise<TestNotification> {
  const { routes } = await deployedRules(stores.rules);
  const test = testOf(names, routes, { by, at: clock.now() });
  console.error(safeLines(`Waiting for ${test.channels.join(', ')}: sent within a minute`).join('\n'));
  return waitForTest(test, stores.testNotifications, clock);
}

/** Sent by this process, to the channels of the folder: a channel is tried before the first start. */
async function sentHere(
  names: string[],
  { as: by, rules: dir, state }: Options,
  clock: Clock,
): Promise<TestNotification> {
  const ruleSet = await readRules(dir);
  let test: TestNotification = testOf(names, ruleSet.routes, { by, at: clock.now() });
  await ownFolder(state);
  const secrets = await openLocalSecrets(join(state, 'secrets.json'));
  const inbox = openSlackInbox({ file: join(state, 'slack-inbox.ndjson'), clock });
  const channelFor = localChannels({ secrets, inbox, isLive: () => true, clock });
  await sendTestNotifications({
    rules: { loadCurrent: async () => ruleSet },
    testNotifications: {
      takePending: async () => [test],
      load: async () => test,
      save: async (done) => {
        test = done;
      },
    },
    ...{ channelFor, clock, logger: terminalLogger },
  }).finally(() => inbox.close());
  return test;
}

/** A test of the named channels, or of all. Throws `InvalidRequestError` for an unknown one. */
function testOf(names: string[], { channels }: Routes, of: { by: string; at: number }): TestNotification {
  const known = Object.keys(channels);
  const strange = names.find((name) => !known.includes(name));
  if (strange !== undefined)
    throw new InvalidRequestError(
      `there is no channel "${strange}"${didYouMean(strange, known) || `; ${definedText(known)}`}`,
    );
  return newTestNotification({ id: randomUUID(), channels: names.length > 0 ? names : known, ...of });
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

const WORDS = { sent: 'sent', kept: 'kept at /slack on this machine', refused: 'refused' };

function textOf(outcome: Reported): string {
  const words = outcome.kind === 'not-sent' ? [] : [WORDS[outcome.kind]];
  return [outcome.channel, ...words, ...('reason' in outcome ? [outcome.reason] : [])].join(': ');
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
