import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Channel } from '../../../shared/alerting/messages/channel.ts';
import type { Message } from '../../../shared/alerting/messages/message.ts';
import { routesSchema } from '../../../shared/alerting/notifications/routes.ts';
import type { Silence } from '../../../shared/alerting/notifications/silences.ts';
import { HOUR, ruleNamed } from '../../fixtures/builders.ts';
import { anAnnouncer, channelsNamed } from '../announcer.ts';

const sales = ruleNamed('sales');
/** Mute from 18:00 to 08:00 the next day. */
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

/** At 20:00, in the night. */
async function atNight() {
  const announcer = await anAnnouncer([sales], muted);
  announcer.clock.advanceTo(announcer.clock.now() + 8 * HOUR);
  return announcer;
}

describe('while its route is mute', () => {
  it('a fire is kept, and told with what kept it when the mute ends', async () => {
    const announcer = await atNight();
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep();
    await announcer.sweep(11);
    expect(announcer.notified('team')).toEqual([]);
    await announcer.sweep(1);
    expect(announcer.notified('team')).toEqual(['fired sales']);
    expect(JSON.stringify(announcer.channel('team').sent)).toContain(
      'until Tue 3 Mar 2026, 08:00 (UTC) by the calendar nights',
    );
  });

  it('a fire that is over by its end is never told, nor that it is over', async () => {
    const announcer = await atNight();
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep(1);
    await announcer.happens(sales, { transition: 'recovered' });
    await announcer.sweep(1);
    await announcer.sweep(12);
    expect(announcer.notified('team')).toEqual([]);
    expect(await announcer.alertOf(sales)).toMatchObject({ pending: {}, pendingAt: null });
  });

  it('the end of what was told before is told at once', async () => {
    const announcer = await anAnnouncer([sales], muted);
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep();
    announcer.clock.advanceTo(announcer.clock.now() + 8 * HOUR);
    await announcer.happens(sales, { transition: 'recovered' });
    await announcer.sweep();
    expect(announcer.notified('team')).toEqual(['fired sales', 'recovered sales']);
  });

  it('the end of what may have got through is told at once, and it alone', async () => {
    const posted: string[] = [];
    let hangs = true;
    const pager: Channel = {
      async send({ items }) {
        posted.push(...items.map(({ transition }) => transition));
        return hangs ? { kind: 'refused', permanent: false, reason: 'no answer in time' } : { kind: 'sent' };
      },
    };
    const announcer = await anAnnouncer([sales], muted, { channels: { team: pager } });
    announcer.clock.advanceTo(announcer.clock.now() + 5.99 * HOUR);
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep();
    hangs = false;
    announcer.clock.advanceTo(announcer.clock.now() + HOUR);
    await announcer.happens(sales, { transition: 'recovered' });
    for (let i = 0; i < 2; i++) await announcer.sweep(1);
    expect(posted).toEqual(['fired', 'recovered']);
    await announcer.sweep(24);
    expect(posted).toEqual(['fired', 'recovered']);
  });

  it('the end of what was told is told, though it was the change that made it flap', async () => {
    const announcer = await anAnnouncer([sales], muted);
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep();
    announcer.clock.advanceTo(announcer.clock.now() + 8 * HOUR);
    await announcer.happens(sales, { transition: 'flapping' });
    const alert = await announcer.alertOf(sales);
    if (alert) await announcer.alerts.save({ ...alert, state: 'normal', fired: null, flappingSinceAt: 1 });
    for (let i = 0; i < 3; i++) await announcer.sweep(1);
    expect(announcer.notified('team')).toEqual(['fired sales', 'recovered sales']);
    await announcer.sweep(12);
    expect(announcer.notified('team')).toEqual(['fired sales', 'recovered sales', 'flapping sales']);
  });

  it('a route of another name that takes its place is as mute', async () => {
    const named = (name: string) => ({
      ...muted,
      default: ['boss'],
      routes: [{ name, match: { owner: sales.owner }, channels: ['team'], mute: ['nights'] }],
    });
    const announcer = await anAnnouncer([sales], named('shop'));
    announcer.clock.advanceTo(announcer.clock.now() + 8 * HOUR);
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.rules.save({
      version: 'next',
      rules: [sales],
      routes: routesSchema.parse(named('checkout')),
    });
    await announcer.sweep(1);
    expect(announcer.notified('team')).toEqual([]);
    await announcer.sweep(11);
    expect(announcer.notified('team')).toEqual(['fired sales']);
  });

  it('nothing is written: what is held stays as it is', async () => {
    const announcer = await atNight();
    await announcer.happens(sales, { transition: 'fired' });
    const before = await announcer.alertOf(sales);
    for (let i = 0; i < 3; i++) await announcer.sweep(1);
    expect(await announcer.alertOf(sales)).toEqual(before);
  });

  it('another route tells as ever', async () => {
    const routes = { ...muted, routes: [{ name: 'loud', match: { rule: 'sales' }, channels: ['boss'] }] };
    const announcer = await anAnnouncer([sales], routes);
    announcer.clock.advanceTo(announcer.clock.now() + 8 * HOUR);
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep();
    expect(announcer.notified('boss')).toEqual(['fired sales']);
  });
});

describe('a silence', () => {
  const routes = { channels: channelsNamed('team'), default: ['team'] };

  it('holds what matches until it ends', async () => {
    const announcer = await anAnnouncer([sales, ruleNamed('visits')], routes);
    await announcer.silences.save(aSilence(announcer.clock.now() + 2 * HOUR));
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.happens(ruleNamed('visits'), { transition: 'fired' });
    await announcer.sweep(1);
    expect(announcer.notified('team')).toEqual(['fired visits']);
    await announcer.sweep(1);
    expect(announcer.notified('team')).toEqual(['fired visits', 'fired sales']);
    expect(JSON.stringify(announcer.channel('team').sent[1])).toContain('a silence of anna');
  });

  it('that has not begun holds nothing', async () => {
    const announcer = await anAnnouncer([sales], routes);
    const { clock } = announcer;
    await announcer.silences.save(aSilence(clock.now() + 9 * HOUR, { fromAt: clock.now() + 8 * HOUR }));
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep(1);
    expect(announcer.notified('team')).toEqual(['fired sales']);
  });
});

describe('a snoozed alert', () => {
  const routes = { channels: channelsNamed('team'), default: ['team'] };

  it.each([
    ['an hour', 1, ['fired sales', 'persists sales']],
    ['as long as it fires', null, ['fired sales']],
  ])('says nothing for %s, and then what is still so', async (_name, hours, notified) => {
    const announcer = await anAnnouncer([sales], routes);
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep();
    const alert = await announcer.alertOf(sales);
    const untilAt = hours === null ? null : announcer.clock.now() + hours * HOUR;
    if (alert) await announcer.alerts.save({ ...alert, snoozed: { by: 'anna', at: 0, reason: '', untilAt } });
    await announcer.happens(sales, { transition: 'persists' });
    await announcer.sweep(0.5);
    expect(announcer.notified('team')).toEqual(['fired sales']);
    await announcer.sweep(1);
    expect(announcer.notified('team')).toEqual(notified);
    await announcer.happens(sales, { transition: 'recovered' });
    await announcer.sweep();
    expect(announcer.notified('team')).toEqual([...notified, 'recovered sales']);
  });
});

/** Each step is an hour: what happens in it, and what is said about silence. */
const hours = fc.array(
  fc.record({
    toggles: fc.boolean(),
    silence: fc.option(fc.integer({ min: 1, max: 9 }), { freq: 6 }),
    refuses: fc.boolean(),
  }),
  { minLength: 1, maxLength: 60 },
);

test('whatever is mute when: each fire that outlasts it is told once, and no end of what nobody can have heard', async () => {
  await fc.assert(
    fc.asyncProperty(hours, async (steps) => {
      const tried: Message['items'] = [];
      const notified: Message['items'] = [];
      let refuses = false;
      /** Takes what it refuses half the time: whoever sent it cannot tell. */
      const doubtful: Channel = {
        async send({ items }) {
          const inOrder = items.toSorted((a, b) => a.at - b.at);
          tried.push(...inOrder.filter(({ key }) => !tried.some((each) => each.key === key)));
          if (!refuses) notified.push(...inOrder);
          return refuses ? { kind: 'refused', permanent: false, reason: 'no answer' } : { kind: 'sent' };
        },
      };
      const announcer = await anAnnouncer([sales], muted, { channels: { team: doubtful } });
      let fires = false;
      for (const [i, step] of steps.entries()) {
        refuses = step.refuses;
        announcer.clock.advanceTo(announcer.clock.now() + HOUR);
        if (step.silence !== null)
          await announcer.silences.save(
            aSilence(announcer.clock.now() + step.silence * HOUR, { id: `${i}` }),
          );
        if (step.toggles) {
          fires = !fires;
          await announcer.happens(sales, { transition: fires ? 'fired' : 'recovered' });
        }
        await announcer.sweep();
        // Mute or not: no incident stays open that is over, though it may have been opened in doubt.
        if (!refuses && !fires) expect(tried.at(-1)?.transition).not.toBe('fired');
      }
      refuses = false;
      // The night: whatever is still owed is told by then.
      for (let i = 0; i < 24; i++) await announcer.sweep(1);
      const alternating = tried.map((_, i) => (i % 2 === 0 ? 'fired' : 'recovered'));
      expect(tried.map(({ transition }) => transition)).toEqual(alternating);
      expect(tried.length % 2 === 1).toBe(fires);
      expect(notified.at(-1)?.transition).toBe(tried.at(-1)?.transition);
      expect(new Set(notified.map(({ key }) => key)).size).toBe(notified.length);
    }),
    { numRuns: 60 },
  );
});
