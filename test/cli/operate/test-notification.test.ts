import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { testNotificationCommand } from '../../../cli/operate/test-notification.ts';
import { sendTestNotifications } from '../../../functions/notify/test-notifications.ts';
import { openToRun } from '../../../local/installation.ts';
import type { SendResult } from '../../../shared/messages/channel.ts';
import { routesSchema } from '../../../shared/notifications/routes.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { temporaryFolder } from '../../fixtures/deltawatch.ts';
import { NOW } from '../../functions/respond/desk.ts';
import { onRunning } from '../operated.ts';

const running = onRunning();

beforeEach(async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const routes = routesSchema.parse({
    channels: {
      team: { slack: { webhook_secret: 'team' } },
      pager: { pagerduty: { routing_key_secret: 'pager' } },
    },
    default: ['team'],
    routes: [{ name: 'checkout', match: { app: 'shop' }, channels: ['pager'] }],
  });
  await running.stores().rules.save({ version: 'v', rules: [ruleNamed('sales')], routes });
});

/** Runs the command while test notifications are sent once a minute to channels with these results. */
function tested(answers: Record<string, SendResult>, ...args: string[]): Promise<string> {
  const { rules, testNotifications } = running.stores();
  const { clock } = running;
  const channelFor = async (_config: unknown, name: string) => ({
    send: async (): Promise<SendResult> => answers[name] ?? { kind: 'sent' },
  });
  const logger = { info: () => {}, warn: () => {}, error: () => {} };
  const sending = {
    now: () => clock.now(),
    async sleep(ms: number) {
      await clock.sleep(ms);
      if (clock.now() % 60_000 === 0)
        await sendTestNotifications({ rules, testNotifications, channelFor, clock, logger });
    },
  };
  return running.run(testNotificationCommand(sending), ...args);
}

test('reports the result of each channel', async () => {
  const reason = 'PagerDuty refused the routing key (400): check its secret';
  const text = await tested({ pager: { kind: 'refused', permanent: true, reason } });
  expect(text).toBe(`team: sent\npager: refused: ${reason}`);
  expect(process.exitCode).toBe(1);
});

test('reports a message kept on this machine, and exits with 0', async () => {
  const kept = { kind: 'kept', reason: 'no secret "team" on this machine' } as const;
  const at = running.clock.now();
  const text = await tested({ team: kept }, 'team', '--as', 'Anna', '--json');
  expect(JSON.parse(text)).toEqual({
    by: 'Anna',
    at: new Date(at).toISOString(),
    channels: [{ channel: 'team', ...kept }],
  });
  expect(process.exitCode).toBeUndefined();
});

test('gives up after two minutes and withdraws the test notification', async () => {
  const at = running.clock.now();
  const text = await running.run(testNotificationCommand(running.clock), 'team');
  expect(text.replaceAll(/\s+/g, ' ')).toMatch(
    /^team: not sent yet, and not sent after .*; is Deltawatch running\?$/,
  );
  expect(process.exitCode).toBe(1);
  expect(running.clock.now()).toBe(at + 120_000);
  expect(await running.stores().testNotifications.takePending(running.clock.now())).toEqual([]);
});

test('rejects an unknown channel with a suggestion', async () => {
  const command = running.run(testNotificationCommand(running.clock), 'pagr');
  await expect(command).rejects.toThrow('there is no channel "pagr"; did you mean "pager"?');
});

test.each([false, true])(
  'sends the message itself while nothing runs, with a state: %s',
  async (hasState) => {
    await using folder = await temporaryFolder();
    const clock = new ManualClock(NOW);
    const rules = join(folder.path, 'rules');
    const state = join(folder.path, 'state');
    await mkdir(rules);
    await writeFile(join(rules, 'shop.yaml'), RULES);
    await writeFile(join(rules, 'routes.yaml'), ROUTES);
    if (hasState) (await openToRun(state, clock)).close();
    const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
    const args = ['--rules', rules, '--state', state];
    await testNotificationCommand(clock).parseAsync(args, { from: 'user' });
    expect(printed).toHaveBeenLastCalledWith(
      'team: kept at /slack on this machine: no secret "team" on this machine',
    );
    const strange = testNotificationCommand(clock).parseAsync(['taem', ...args], { from: 'user' });
    await expect(strange).rejects.toThrow('there is no channel "taem"; did you mean "team"?');
  },
);

const RULES = `
rules:
  - { id: a, title: A, app: shop, owner: growth, metric: sessions, every: hour, fire: { change: { below: -30% } } }
`;
const ROUTES = `
channels: { team: { slack: { webhook_secret: team } } }
default: [team]
`;
