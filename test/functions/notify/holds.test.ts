import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Channel } from '../../../shared/messages/channel.ts';
import type { Message } from '../../../shared/messages/message.ts';
import { routesSchema } from '../../../shared/notifications/routes.ts';
import type { Silence } from '../../../shared/silences/silence.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

const sales = ruleNamed('sales');
/** Muted from 18:00 to 08:00 the next day. */
const calendars = { nights: { weekly: [{ days: ['mon-sun'], from: '18:00', to: '08:00' }] } };
const muted = {
  channels: channelsNamed('team', 'boss'),
  calendars,
  default: { channels: ['team'], mute: ['nights'] },
};

const aSilence = (untilAt: number, overrides: Partial<Silence> = {}): Silence => ({
  id: 'one',
  match: { rule: 'sal*' },
  fromAt: 0,
  untilAt,
  by: 'anna',
  at: 0,
  reason: 'deployment',
  ...overrides,
});

/** A notifier at 20:00, while the route is muted. */
async function atNight() {
  const notifier = await createNotifier([sales], muted);
  notifier.clock.advanceTo(notifier.clock.now() + 8 * HOUR_MS);
  return notifier;
}

describe('while the route is muted', () => {
  it('a fire is sent when the mute ends, with the reason for the delay', async () => {
    const notifier = await atNight();
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    await notifier.sweep(11);
    expect(notifier.notified('team')).toEqual([]);
    await notifier.sweep(1);
    expect(notifier.notified('team')).toEqual(['fired sales']);
    expect(notifier.channel('team').sent[0]?.items[0]?.facts.at(-1)?.text).toContain(
      'until Tue 3 Mar 2026, 08:00 (UTC) by the calendar "nights"',
    );
  });

  it('neither a fire nor its recovery is sent if both happen', async () => {
    const notifier = await atNight();
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep(1);
    await notifier.happens(sales, { transition: 'recovered' });
    await notifier.sweep(1);
    await notifier.sweep(12);
    expect(notifier.notified('team')).toEqual([]);
    expect(await notifier.alertOf(sales)).toMatchObject({ pending: {}, pendingAt: null });
  });

  it('the end of an alert that was sent before is sent at once', async () => {
    const notifier = await createNotifier([sales], muted);
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    notifier.clock.advanceTo(notifier.clock.now() + 8 * HOUR_MS);
    await notifier.happens(sales, { transition: 'recovered' });
    await notifier.sweep();
    expect(notifier.notified('team')).toEqual(['fired sales', 'recovered sales']);
  });

  it('a fire that is refused after the mute is not stuck at once, and still names the reason for the delay', async () => {
    const notifier = await atNight();
    await notifier.happens(sales, { transition: 'fired' });
    const refusal = { kind: 'refused', permanent: false, reason: 'no' } as const;
    notifier.channel('team').refuseNext(refusal, refusal);
    await notifier.sweep(12);
    for (let i = 0; i < 2; i++) await notifier.sweep(0.1);
    expect(notifier.counted).toEqual(['NotificationsSent']);
    expect(notifier.channel('team').sent[0]?.items[0]?.facts.at(-1)?.text).toContain(
      'by the calendar "nights"',
    );
  });

  it('only the end is sent if the fire may have been received', async () => {
    const posted: string[] = [];
    let hangs = true;
    const pager: Channel = {
      async send({ items }) {
        posted.push(...items.map(({ transition }) => transition));
        return hangs ? { kind: 'refused', permanent: false, reason: 'no answer in time' } : { kind: 'sent' };
      },
    };
    const notifier = await createNotifier([sales], muted, { channels: { team: pager } });
    notifier.clock.advanceTo(notifier.clock.now() + 5.99 * HOUR_MS);
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    hangs = false;
    notifier.clock.advanceTo(notifier.clock.now() + HOUR_MS);
    await notifier.happens(sales, { transition: 'recovered' });
    for (let i = 0; i < 2; i++) await notifier.sweep(1);
    expect(posted).toEqual(['fired', 'recovered']);
    await notifier.sweep(24);
    expect(posted).toEqual(['fired', 'recovered']);
  });

  it('a renamed route stays muted', async () => {
    const named = (name: string) => ({
      ...muted,
      default: ['boss'],
      routes: [{ name, match: { owner: sales.owner }, channels: ['team'], mute: ['nights'] }],
    });
    const notifier = await createNotifier([sales], named('shop'));
    notifier.clock.advanceTo(notifier.clock.now() + 8 * HOUR_MS);
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.rules.save({
      version: 'next',
      rules: [sales],
      routes: routesSchema.parse(named('checkout')),
    });
    await notifier.sweep(1);
    expect(notifier.notified('team')).toEqual([]);
    await notifier.sweep(11);
    expect(notifier.notified('team')).toEqual(['fired sales']);
  });
});

describe('a silence', () => {
  const routes = { channels: channelsNamed('team'), default: ['team'] };

  it('holds matching notifications until it ends', async () => {
    const notifier = await createNotifier([sales, ruleNamed('visits')], routes);
    await notifier.silences.save(aSilence(notifier.clock.now() + 2 * HOUR_MS));
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.happens(ruleNamed('visits'), { transition: 'fired' });
    await notifier.sweep(1);
    expect(notifier.notified('team')).toEqual(['fired visits']);
    await notifier.sweep(1);
    expect(notifier.notified('team')).toEqual(['fired visits', 'fired sales']);
    expect(JSON.stringify(notifier.channel('team').sent[1])).toContain('a silence of anna');
  });
});

describe('a snoozed alert', () => {
  const routes = { channels: channelsNamed('team'), default: ['team'] };

  it.each([
    ['is held for an hour, then sends that it persists', 1, ['fired sales', 'persists sales']],
    ['is held while it fires, if snoozed until it recovers', null, ['fired sales']],
  ])('%s', async (_name, hours, notified) => {
    const notifier = await createNotifier([sales], routes);
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    const alert = await notifier.alertOf(sales);
    const untilAt = hours === null ? null : notifier.clock.now() + hours * HOUR_MS;
    if (alert) await notifier.alerts.save({ ...alert, snoozed: { by: 'anna', at: 0, reason: '', untilAt } });
    await notifier.happens(sales, { transition: 'persists' });
    await notifier.sweep(0.5);
    expect(notifier.notified('team')).toEqual(['fired sales']);
    await notifier.sweep(1);
    expect(notifier.notified('team')).toEqual(notified);
    await notifier.happens(sales, { transition: 'recovered' });
    await notifier.sweep();
    expect(notifier.notified('team')).toEqual([...notified, 'recovered sales']);
  });
});

/** One step per hour: whether the alert changes, a silence starts, and the channel refuses. */
const hours = fc.array(
  fc.record({
    toggles: fc.boolean(),
    silence: fc.option(fc.integer({ min: 1, max: 9 }), { freq: 6 }),
    refuses: fc.boolean(),
  }),
  { minLength: 1, maxLength: 60 },
);

test('with random mutes, sends each lasting fire once and no recovery of an unsent fire', async () => {
  await fc.assert(
    fc.asyncProperty(hours, async (steps) => {
      const tried: Message['items'] = [];
      const notified: Message['items'] = [];
      let refuses = false;
      /** A refused message counts as tried: the sender cannot know whether it was received. */
      const doubtful: Channel = {
        async send({ items }) {
          const inOrder = items.toSorted((a, b) => a.at - b.at);
          tried.push(...inOrder.filter(({ key }) => !tried.some((each) => each.key === key)));
          if (!refuses) notified.push(...inOrder);
          return refuses ? { kind: 'refused', permanent: false, reason: 'no answer' } : { kind: 'sent' };
        },
      };
      const notifier = await createNotifier([sales], muted, { channels: { team: doubtful } });
      let fires = false;
      for (const [i, step] of steps.entries()) {
        refuses = step.refuses;
        notifier.clock.advanceTo(notifier.clock.now() + HOUR_MS);
        if (step.silence !== null)
          await notifier.silences.save(
            aSilence(notifier.clock.now() + step.silence * HOUR_MS, { id: `${i}` }),
          );
        if (step.toggles) {
          fires = !fires;
          await notifier.happens(sales, { transition: fires ? 'fired' : 'recovered' });
        }
        await notifier.sweep();
        // No ended incident stays open, even if it is not certain that it was opened.
        if (!refuses && !fires) expect(tried.at(-1)?.transition).not.toBe('fired');
      }
      refuses = false;
      // After the mute of the night, nothing is pending any more.
      for (let i = 0; i < 24; i++) await notifier.sweep(1);
      const alternating = tried.map((_, i) => (i % 2 === 0 ? 'fired' : 'recovered'));
      expect(tried.map(({ transition }) => transition)).toEqual(alternating);
      expect(tried.length % 2 === 1).toBe(fires);
      expect(notified.at(-1)?.transition).toBe(tried.at(-1)?.transition);
      expect(new Set(notified.map(({ key }) => key)).size).toBe(notified.length);
    }),
    { numRuns: 60 },
  );
});
