import { afterEach, beforeEach, expect, test } from 'vitest';
import { notifyPending } from '../../../functions/notify/notify.ts';
import { openSlackInbox, type SlackInbox } from '../../../local/inbox/slack-inbox.ts';
import { silentMeter } from '../../../local/terminal.ts';
import type { AlertStore } from '../../../shared/alerts/alert-store.ts';
import type { Transition } from '../../../shared/alerts/transitions.ts';
import { createSlackBotChannel } from '../../../shared/channels/slack/bot-channel.ts';
import { queueNotification } from '../../../shared/notifications/pending-notifications.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import {
  inMemoryAlertStore,
  inMemoryDeliveryLog,
  inMemoryNoteStore,
  inMemoryRuleStore,
  inMemoryRunStore,
  inMemorySilenceStore,
} from '../../../shared/store/in-memory/stores.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/units/durations.ts';
import { alertOf, breached, dayAt, ROUTES, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';

const NOW = dayAt(1).endAt;
const rule = ruleNamed('orders');

let folder: Folder;
let inbox: SlackInbox;
let clock: ManualClock;
beforeEach(async () => {
  folder = await temporaryFolder();
  clock = new ManualClock(NOW + 10 * MINUTE_MS);
  inbox = openSlackInbox({ file: `${folder.path}/inbox.ndjson`, clock });
});
afterEach(async () => {
  inbox.close();
  await folder[Symbol.asyncDispose]();
});

/** The alert of the rule, in a team whose channel is a bot. */
async function system(alerts: AlertStore = inMemoryAlertStore()) {
  const rules = inMemoryRuleStore();
  await rules.save(ruleSetOf(rule));
  await alerts.save({ ...alertOf(rule), fired: null });
  const channel = createSlackBotChannel({
    ...{ token: 'xoxb-1', channel: 'team', clock, address: 'http://127.0.0.1/api/' },
    fetch: async (url, init) => inbox.app.request(new URL(url).pathname, init as RequestInit),
  });
  const deps = {
    ...{
      rules,
      alerts,
      clock,
      runs: inMemoryRunStore(),
      silences: inMemorySilenceStore(),
      notes: inMemoryNoteStore(),
    },
    deliveries: inMemoryDeliveryLog(),
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    meter: silentMeter,
    channelFor: async () => channel,
  };
  const load = async () => (await alerts.load([{ ruleId: rule.id, segment: null }]))[0] ?? alertOf(rule);
  const happens = async (transition: Transition, now: Partial<Awaited<ReturnType<typeof load>>> = {}) => {
    const at = clock.now();
    await alerts.save(
      queueNotification({ ...(await load()), ...now }, rule, ROUTES, {
        ...{ transition, reason: { code: 'evaluation' }, windowEndAt: NOW, evaluation: breached(0) },
        ...{ firedWindowEndAt: NOW, tick: { id: `tick-${at}`, scheduledAt: at - 5 * MINUTE_MS } },
      }),
    );
    await notifyPending(deps);
    clock.advanceTo(at + HOUR_MS);
  };
  return { happens, load, sweep: () => notifyPending(deps), deliveries: deps.deliveries };
}

const shown = () =>
  inbox.list().map(({ blocks: [header], replies = [] }) => ({
    header: header?.type === 'header' ? [...header.text.text][0] : '',
    thread: replies.length,
  }));

test('one message follows the alert from its fire to its end; the next fire gets its own', async () => {
  const { happens, load, deliveries } = await system();
  await happens('fired');
  const [{ ts } = {}] = inbox.list();
  expect((await load()).sent[0]?.receipt).toEqual({ conversation: 'team', message: ts, isDigest: false });
  await happens('acknowledged', { acknowledged: { by: 'Anna', at: NOW, reason: 'rolling back' } });
  expect(shown()).toEqual([{ header: '👀', thread: 1 }]);
  expect(JSON.stringify(inbox.list()[0]?.replies)).toContain('rolling back');
  await happens('recovered');
  expect(shown()).toEqual([{ header: '✅', thread: 2 }]);
  await happens('fired', { revision: (await load()).revision });
  expect(shown()).toMatchObject([{ thread: 0 }, { header: '✅', thread: 2 }]);
  expect((await deliveries.loadLast(1))[0]?.outcome).toEqual({ kind: 'sent' });
});

test('a message whose receipt could not be saved is sent again, never lost', async () => {
  const store = inMemoryAlertStore();
  let isDown = false;
  const alerts: AlertStore = {
    ...store,
    save: async (alert) => {
      if (isDown && alert.sent.length > 0) throw new Error('the table is down');
      return store.save(alert);
    },
  };
  const { happens, sweep, load } = await system(alerts);
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
