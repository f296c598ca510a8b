import { describe, expect, it } from 'vitest';
import { notifyPending } from '../../../functions/notify/notify.ts';
import type { Channel } from '../../../shared/alerting/messages/channel.ts';
import { HOUR, ruleNamed } from '../../fixtures/builders.ts';
import { anAnnouncer, channelsNamed } from '../announcer.ts';

const sales = ruleNamed('sales');
const loud = { channels: channelsNamed('team'), default: ['team'] };

describe('the end of what is being sent', () => {
  it.each([
    ['broken', 'healed'],
    ['fired', 'recovered'],
  ] as const)('that %s is told after it, though it %s meanwhile', async (began, over) => {
    const posted: string[] = [];
    const slow: Channel = {
      async send({ items }) {
        if (posted.length === 0) {
          await announcer.happens(sales, { transition: over });
          await notifyPending(announcer.deps);
        }
        posted.push(...items.map(({ transition }) => transition));
        return { kind: 'sent' };
      },
    };
    const announcer = await anAnnouncer([sales], loud, { channels: { team: slow } });
    await announcer.happens(sales, { transition: began });
    await announcer.sweep();
    for (let i = 0; i < 3; i++) await announcer.sweep(1);
    expect(posted).toEqual([began, over]);
  });
});

describe('a channel that refuses for good', () => {
  it('reached nobody: what is over before it is mended is not told', async () => {
    const announcer = await anAnnouncer([sales], loud);
    const gone = { kind: 'refused', reason: 'Slack refused (404, no_service)', permanent: true } as const;
    announcer.channel('team').refuseNext(gone, gone, gone);
    for (const transition of ['fired', 'recovered', 'fired'] as const) {
      announcer.clock.advanceTo(announcer.clock.now() + HOUR);
      await announcer.happens(sales, { transition });
      await announcer.sweep(1);
    }
    await announcer.sweep(2);
    expect(announcer.notified('team')).toEqual([]);
    await announcer.sweep(2);
    expect(announcer.notified('team')).toEqual(['fired sales']);
    expect(announcer.counted).toContain('NotificationsStuck');
  });
});
