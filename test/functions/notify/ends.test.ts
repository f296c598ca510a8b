import { describe, expect, it } from 'vitest';
import { notifyPending } from '../../../functions/notify/notify.ts';
import type { Channel } from '../../../shared/messages/channel.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

const sales = ruleNamed('sales');
const loud = { channels: channelsNamed('team'), default: ['team'] };

describe('the end of an alert during the send of its start', () => {
  it.each([
    ['broken', 'healed'],
    ['fired', 'recovered'],
  ] as const)('is sent after it: %s, then %s', async (began, over) => {
    const posted: string[] = [];
    const slow: Channel = {
      async send({ items }) {
        if (posted.length === 0) {
          await notifier.happens(sales, { transition: over });
          await notifyPending(notifier.deps);
        }
        posted.push(...items.map(({ transition }) => transition));
        return { kind: 'sent' };
      },
    };
    const notifier = await createNotifier([sales], loud, { channels: { team: slow } });
    await notifier.happens(sales, { transition: began });
    await notifier.sweep();
    for (let i = 0; i < 3; i++) await notifier.sweep(1);
    expect(posted).toEqual([began, over]);
  });
});

describe('a channel that refuses permanently', () => {
  it('is never sent alerts that end before it works again', async () => {
    const notifier = await createNotifier([sales], loud);
    const gone = { kind: 'refused', reason: 'Slack refused (404, no_service)', permanent: true } as const;
    notifier.channel('team').refuseNext(gone, gone, gone);
    for (const transition of ['fired', 'recovered', 'fired'] as const) {
      notifier.clock.advanceTo(notifier.clock.now() + HOUR_MS);
      await notifier.happens(sales, { transition });
      await notifier.sweep(1);
    }
    await notifier.sweep(2);
    expect(notifier.notified('team')).toEqual([]);
    await notifier.sweep(2);
    expect(notifier.notified('team')).toEqual(['fired sales']);
    expect(notifier.counted).toContain('NotificationsStuck');
  });
});
