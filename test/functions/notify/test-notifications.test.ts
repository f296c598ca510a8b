import { expect, test } from 'vitest';
import { sendTestNotifications } from '../../../functions/notify/test-notifications.ts';
import type { Channel } from '../../../shared/messages/channel.ts';
import { newTestNotification } from '../../../shared/notifications/test-notification.ts';
import { inMemoryStores } from '../../../shared/store/in-memory/stores.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { channelTo } from '../../fixtures/channel-to.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

/** Requests a test of the channels team, pager and gone, with an optional `pager` and `fault` of the store. */
async function requested({ pager, fault }: { pager?: Channel; fault?: Error } = {}) {
  const notifier = await createNotifier(
    [ruleNamed('sales')],
    { channels: channelsNamed('team', 'pager'), default: ['team'] },
    { channels: pager ? { pager } : {} },
  );
  const { testNotifications } = inMemoryStores();
  const { clock, deps } = notifier;
  const channels = ['team', 'pager', 'gone'];
  await testNotifications.save(newTestNotification({ id: 'one', channels, by: 'Anna', at: clock.now() }));
  const failing = { ...testNotifications, takePending: () => Promise.reject(fault) };
  return {
    ...notifier,
    outcomes: async () => (await testNotifications.load('one'))?.outcomes,
    async send(minutesLater = 0) {
      clock.advanceTo(clock.now() + minutesLater * 60_000);
      await sendTestNotifications({ ...deps, testNotifications: fault ? failing : testNotifications });
    },
  };
}

/** A PagerDuty channel with these response statuses, and the events that it sent. */
function pagerDuty(...statuses: number[]) {
  const events: { event_action: string; dedup_key: string; payload?: unknown }[] = [];
  const to: typeof fetch = async (_url, init) => {
    events.push(JSON.parse(String(init?.body)));
    return new Response(null, { status: statuses.shift() ?? 202 });
  };
  const clock = { now: () => 0, sleep: async () => {} };
  const config = { pagerduty: { routing_key_secret: 'key' } };
  return { events, channel: channelTo(config, { secret: 'k'.repeat(32), clock, to }) };
}

test('each channel is sent one message, and its outcome is stored', async () => {
  const pager: Channel = { send: () => Promise.reject(new Error('no such secret')) };
  const { send, notified, outcomes } = await requested({ pager });
  expect(await outcomes()).toEqual([]);
  await send();
  await send(1);
  expect(notified('team')).toEqual(['test test:team']);
  expect(await outcomes()).toEqual([
    { channel: 'team', kind: 'sent' },
    { channel: 'pager', kind: 'refused', reason: 'no such secret' },
    { channel: 'gone', kind: 'refused', reason: 'rules/routes.yaml has no channel "gone"' },
  ]);
});

test('a test that is two minutes old is not sent', async () => {
  const { send, notified } = await requested();
  await send(2);
  expect(notified('team')).toEqual([]);
});

test('a failing store is logged and does not fail the run', async () => {
  const { send, notified, logged } = await requested({ fault: new Error('throttled') });
  await send();
  expect(notified('team')).toEqual([]);
  expect(logged).toEqual(['a test notification failed']);
});

test('PagerDuty opens an incident that is resolved at once', async () => {
  const { channel, events } = pagerDuty();
  const { send, outcomes } = await requested({ pager: channel });
  await send();
  expect(events).toMatchObject([
    {
      event_action: 'trigger',
      dedup_key: 'test:pager#',
      payload: { summary: 'Test notification: nothing is wrong', severity: 'info', class: 'test' },
    },
    { event_action: 'resolve', dedup_key: 'test:pager#' },
  ]);
  expect((await outcomes())?.[1]).toEqual({ channel: 'pager', kind: 'sent' });
});

test.each([
  ['the incident was not opened', [503], 'PagerDuty failed (503)'],
  [
    'the incident is left open',
    [202, 503],
    'an incident was opened and could not be resolved; resolve it by hand: PagerDuty failed (503)',
  ],
])('a refusal of PagerDuty says whether %s', async (_what, statuses, reason) => {
  const { channel } = pagerDuty(...statuses);
  const { send, outcomes } = await requested({ pager: channel });
  await send();
  expect((await outcomes())?.[1]).toEqual({ channel: 'pager', kind: 'refused', reason });
});

test('a test stays pending while the rules cannot be loaded', async () => {
  const { send, notified, deps } = await requested();
  const { loadCurrent } = deps.rules;
  deps.rules.loadCurrent = () => Promise.reject(new Error('throttled'));
  await send();
  deps.rules.loadCurrent = loadCurrent;
  await send(1);
  expect(notified('team')).toEqual(['test test:team']);
});
