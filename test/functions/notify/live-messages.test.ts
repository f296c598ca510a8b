import { beforeEach, expect, test } from 'vitest';
import { notifyPending } from '../../../functions/notify/notify.ts';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { AlertStore } from '../../../shared/alerts/alert-store.ts';
import type { Transition } from '../../../shared/alerts/transitions.ts';
import { createSlackBotChannel } from '../../../shared/channels/slack/bot-channel.ts';
import type { Message } from '../../../shared/messages/message.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { fakeSlack } from '../../fakes/fake-slack.ts';
import { alertOf, ruleNamed } from '../../fixtures/builders.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

const rule = ruleNamed('sales');

let slack: ReturnType<typeof fakeSlack>;
beforeEach(() => {
  slack = fakeSlack();
});

/** The alert of the rule, in a team whose channel is a bot. `replaced`: the store that sweeps write to. */
async function system(replaced: (store: AlertStore) => AlertStore = (store) => store) {
  const routes = { channels: channelsNamed('team'), default: ['team'] };
  const team = { send: (message: Message) => bot.send(message) };
  const notifier = await createNotifier([rule], routes, { channels: { team } });
  const bot = createSlackBotChannel({
    ...{ token: 'xoxb-1', channel: 'team', clock: notifier.clock },
    fetch: async (url, init) => slack.app.request(String(url), init),
  });
  const alerts = replaced(notifier.alerts);
  const load = async () => (await notifier.alertOf(rule)) ?? alertOf(rule);
  const sweep = async () => {
    await notifyPending({ ...notifier.deps, alerts });
    await notifier.clock.sleep(HOUR_MS);
  };
  const happens = async (transition: Transition, now: Partial<Alert> = {}) => {
    await notifier.happens(rule, { transition });
    await notifier.alerts.save({ ...(await load()), ...now });
    await sweep();
  };
  return { happens, load, sweep, deliveries: notifier.deliveries };
}

const shown = () =>
  slack.list().map(({ blocks: [header], replies }) => ({
    header: header?.type === 'header' ? [...header.text.text][0] : '',
    thread: replies.length,
  }));

test('one message follows the alert from its fire to its end; the next fire gets its own', async () => {
  const { happens, load, deliveries } = await system();
  await happens('fired');
  const [{ ts } = {}] = slack.list();
  expect((await load()).sent[0]?.receipt).toEqual({ conversation: 'team', message: ts });
  await happens('acknowledged', { acknowledged: { by: 'Anna', at: 0, reason: 'rolling back' } });
  expect(shown()).toEqual([{ header: '👀', thread: 1 }]);
  expect(JSON.stringify(slack.list()[0]?.replies)).toContain('rolling back');
  await happens('recovered');
  expect(shown()).toEqual([{ header: '✅', thread: 2 }]);
  await happens('fired');
  expect(shown()).toMatchObject([{ thread: 0 }, { header: '✅', thread: 2 }]);
  expect((await deliveries.loadLast(1))[0]?.outcome).toEqual({ kind: 'sent' });
});

test('a message whose receipt could not be saved is sent again, never lost', async () => {
  let isDown = false;
  const { happens, sweep, load } = await system((store) => ({
    ...store,
    save: async (alert) => {
      if (isDown && alert.sent.length > 0) throw new Error('the table is down');
      return store.save(alert);
    },
  }));
  isDown = true;
  await happens('fired');
  expect({ shown: shown().length, pending: Object.keys((await load()).pending).length }).toEqual({
    ...{ shown: 1, pending: 1 },
  });
  isDown = false;
  await sweep();
  expect(shown()).toHaveLength(2);
  await happens('recovered');
  // The newest of both is the one that the table knows.
  expect(shown().map(({ header }) => header)).toEqual(['✅', expect.not.stringContaining('✅')]);
});
