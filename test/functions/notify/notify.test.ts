import { describe, expect, it } from 'vitest';
import { notifyPending } from '../../../functions/notify/notify.ts';
import { silentMeter } from '../../../local/terminal.ts';
import { type ChannelConfig, secretsOf } from '../../../shared/channels/kinds.ts';
import type { Channel, SendResult } from '../../../shared/messages/channel.ts';
import { queueNotification } from '../../../shared/notifications/pending-notifications.ts';
import { routesSchema } from '../../../shared/notifications/routes.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import {
  inMemoryAlertStore,
  inMemoryDeliveryLog,
  inMemoryNoteStore,
  inMemoryRuleStore,
  inMemoryRunStore,
  inMemorySilenceStore,
} from '../../../shared/store/in-memory/stores.ts';
import { createFakeChannel } from '../../fakes/fake-channel.ts';
import { alertOf, dayAt, ruleNamed } from '../../fixtures/builders.ts';

const rule = ruleNamed('sales');
const slack = (webhook_secret: string) => ({ slack: { webhook_secret } });
const NOW = dayAt(1).endAt;

/** An alert with "fired" pending for the channels `a` and `b`, and a notifier for it. */
async function withTwoPending(
  routesNow: Record<string, ChannelConfig> = { a: slack('a'), b: slack('b') },
  defaults = ['a', 'b'],
) {
  const rules = inMemoryRuleStore();
  const alerts = inMemoryAlertStore();
  const clock = new ManualClock(NOW + 200_000);
  const then = routesSchema.parse({ channels: { a: slack('a'), b: slack('b') }, default: ['a', 'b'] });
  const routes = routesSchema.parse({ channels: routesNow, default: defaults });
  await rules.save({ version: 'now', rules: [rule], routes });
  const occasion = {
    transition: 'fired' as const,
    reason: { code: 'evaluation' as const },
    windowEndAt: NOW,
    evaluation: null,
    firedWindowEndAt: null,
    tick: { id: 'tick', scheduledAt: NOW },
  };
  await alerts.save(queueNotification(alertOf(rule), rule, then, occasion));
  const counted: string[] = [];
  const deps = {
    rules,
    alerts,
    runs: inMemoryRunStore(),
    silences: inMemorySilenceStore(),
    notes: inMemoryNoteStore(),
    deliveries: inMemoryDeliveryLog(),
    clock,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    meter: { ...silentMeter, count: (what: string) => void counted.push(what) },
  };
  const notify = (channels: Record<string, Channel>) =>
    notifyPending({
      ...deps,
      channelFor: async (config: ChannelConfig) => {
        const channel = channels[secretsOf(config)[0]?.name ?? ''];
        if (!channel) throw new Error('no such channel');
        return channel;
      },
    });
  const pendingTo = async () =>
    Object.values((await alerts.loadOfRule('sales'))[0]?.pending ?? {}).map(({ channel }) => channel);
  return { notify, pendingTo, clock, counted };
}

const refusing = (permanent: boolean): Channel => ({
  send: async (): Promise<SendResult> => ({ kind: 'refused', reason: 'no', permanent }),
});

describe('a failing channel', () => {
  it('does not affect other channels', async () => {
    const { notify, pendingTo } = await withTwoPending();
    const b = createFakeChannel();
    await notify({ a: refusing(false), b });
    expect(b.sent).toHaveLength(1);
    expect(await pendingTo()).toEqual(['a']);
  });

  it('that hangs until the process ends causes no duplicates on other channels', async () => {
    const { notify, pendingTo, clock } = await withTwoPending();
    const a = createFakeChannel();
    const reached = Promise.withResolvers<void>();
    const hanging: Channel = {
      send: () => {
        reached.resolve();
        return new Promise<SendResult>(() => {});
      },
    };
    void notify({ a, b: hanging });
    await reached.promise;
    expect(await pendingTo()).toEqual(['b']);

    clock.advanceTo(clock.now() + 150_000);
    const b = createFakeChannel();
    await notify({ a, b });
    expect([a.sent.length, b.sent.length]).toEqual([1, 1]);
    expect(await pendingTo()).toEqual([]);
  });

  it('that was removed is replaced by the default', async () => {
    const { notify, pendingTo } = await withTwoPending({ a: slack('a') }, ['a']);
    const a = createFakeChannel();
    await notify({ a });
    expect(a.sent).toHaveLength(1);
    expect(a.sent[0]?.items).toHaveLength(1);
    expect(await pendingTo()).toEqual([]);
  });

  it.each([
    ['at once if it refuses permanently', true, 1],
    ['at the third attempt if it refuses temporarily', false, 3],
  ])('is stuck %s', async (_name, permanent, attempts) => {
    const { notify, clock, counted } = await withTwoPending();
    for (let i = 1; i <= attempts; i++) {
      expect(counted).not.toContain('NotificationsStuck');
      await notify({ a: createFakeChannel(), b: refusing(permanent) });
      clock.advanceTo(clock.now() + 300_000);
    }
    expect(counted).toContain('NotificationsStuck');
  });
});
