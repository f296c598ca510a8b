import { describe, expect, it } from 'vitest';
import { notifyPending } from '../../../functions/notify/notify.ts';
import type { Channel } from '../../../shared/messages/channel.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

const TEAM = { channels: channelsNamed('team'), default: ['team'] };
const MUTED = {
  channels: channelsNamed('team'),
  calendars: { nights: { weekly: [{ days: ['mon-sun'], from: '18:00', to: '08:00' }] } },
  default: { channels: ['team'], mute: ['nights'] },
};
const MINUTE = 1 / 60;
const sales = ruleNamed('sales');

/** A channel that refuses every message until `accepts` is called. */
function refusingChannel() {
  let isOpen = false;
  const channel: Channel = {
    send: async () => (isOpen ? { kind: 'sent' } : { kind: 'refused', permanent: false, reason: 'HTTP 503' }),
  };
  return {
    channel,
    accepts() {
      isOpen = true;
    },
    refuses() {
      isOpen = false;
    },
  };
}

describe('the age of the oldest pending notification', () => {
  it('is 0 if nothing is pending, and after everything was sent', async () => {
    const notifier = await createNotifier([sales], TEAM);
    await notifier.sweep();
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep(2);
    expect(notifier.notified('team')).toEqual(['fired sales']);
    expect(notifier.measured).not.toEqual([]);
    for (const each of notifier.measured) expect(each).toEqual(['OldestPendingSeconds', 0]);
  });

  it('grows while a channel refuses, also between the attempts, and ends when it accepts', async () => {
    const { channel, accepts } = refusingChannel();
    const notifier = await createNotifier([sales], TEAM, { channels: { team: channel } });
    await notifier.happens(sales, { transition: 'fired' });
    const minutes = [0, 10, 1, 1, 60];
    for (const minute of minutes) await notifier.sweep(minute * MINUTE);
    expect(notifier.measured.map(([, seconds]) => seconds / 60)).toEqual([0, 10, 11, 12, 72]);
    accepts();
    await notifier.sweep(1);
    expect(notifier.measured.at(-1)).toEqual(['OldestPendingSeconds', 0]);
  });

  it('does not count a refused reminder of an alert that was sent', async () => {
    const { channel, accepts, refuses } = refusingChannel();
    const routes = { ...TEAM, default: { channels: ['team'], repeat: { after: '1 hour' } } };
    const notifier = await createNotifier([sales], routes, { channels: { team: channel } });
    accepts();
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    refuses();
    expect((await notifier.sweep(2)).failed).toHaveLength(1);
    expect(notifier.measured.at(-1)).toEqual(['OldestPendingSeconds', 0]);
  });

  it('does not count alerts of a rule that cannot be read, which has its own alarm', async () => {
    const notifier = await createNotifier([sales], TEAM);
    await notifier.happens(sales, { transition: 'fired' });
    const ruleSet = await notifier.rules.loadCurrent();
    const rules = {
      ...notifier.rules,
      loadCurrent: async () => ruleSet && { ...ruleSet, rules: [], unreadable: ['sales'] },
    };
    notifier.clock.advanceTo(notifier.clock.now() + HOUR_MS);
    await notifyPending({ ...notifier.deps, rules });
    expect(notifier.notified('team')).toEqual([]);
    expect(notifier.measured).toEqual([['OldestPendingSeconds', 0]]);
  });

  it('does not count the time of a mute', async () => {
    const { channel } = refusingChannel();
    const notifier = await createNotifier([sales], MUTED, { channels: { team: channel } });
    await notifier.sweep(8);
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep(2);
    expect(notifier.measured.at(-1)).toEqual(['OldestPendingSeconds', 0]);
    // Since the mute ended at 08:00.
    for (const hours of [10, 0.5, 0.5]) await notifier.sweep(hours);
    expect(notifier.measured.at(-1)).toEqual(['OldestPendingSeconds', 3600]);
  });

  describe('does not count the wait of an escalation', () => {
    const escalate = [{ after: '30 minutes', channels: ['boss'] }];
    const calendars = { lunch: { weekly: [{ days: ['mon'], from: '12:00', to: '13:00' }] } };
    const channels = channelsNamed('team', 'boss');

    /** Fires at noon and sweeps every 10 minutes for 100 minutes. */
    async function agesWith(routes: Record<string, unknown>) {
      const { channel: boss } = refusingChannel();
      const notifier = await createNotifier([sales], routes, { channels: { boss } });
      await notifier.happens(sales, { transition: 'fired' });
      const ages: (number | undefined)[] = [];
      for (let i = 0; i < 10; i++) {
        await notifier.sweep(10 * MINUTE);
        ages.push(notifier.measured.at(-1)?.[1]);
      }
      return ages;
    }
    // The boss refuses it from 13:30.
    const expected = [...Array(9).fill(0), 600];

    it('whose start was muted', async () => {
      const muted = { channels: ['team'], mute: ['lunch'], escalate };
      expect(await agesWith({ channels, calendars, default: muted })).toEqual(expected);
    });

    it('whose start was muted by another route', async () => {
      const first = { name: 'all', match: {}, channels: ['team'], mute: ['lunch'], continue: true };
      const second = { name: 'own', match: {}, channels: ['team'], escalate };
      expect(await agesWith({ channels, calendars, default: ['team'], routes: [first, second] })).toEqual(
        expected,
      );
    });
  });
});
