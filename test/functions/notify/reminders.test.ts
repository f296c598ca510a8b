import { describe, expect, it } from 'vitest';
import { routesSchema } from '../../../shared/alerting/notifications/routes.ts';
import { breached, HOUR, ruleNamed, value } from '../../fixtures/builders.ts';
import { anAnnouncer, channelsNamed } from '../announcer.ts';

const sales = ruleNamed('sales');
const repeating = (repeat: Record<string, unknown>) => ({
  channels: channelsNamed('team'),
  default: { channels: ['team'], repeat },
});

/** The hours after which the team was told something, of as many. */
async function hoursNotified(
  announcer: Awaited<ReturnType<typeof anAnnouncer>>,
  hours: number,
): Promise<number[]> {
  const notified: number[] = [];
  for (let hour = 0; hour <= hours; hour++) {
    const before = announcer.notified('team').length;
    await announcer.sweep(hour === 0 ? 0 : 1);
    if (announcer.notified('team').length > before) notified.push(hour);
  }
  return notified;
}

describe('what still fires on a route that repeats', () => {
  it.each([
    ['after twice as long each time, a day at the most', { after: '4 hours' }, [0, 4, 12, 28, 52, 76]],
    ['as often as it says', { after: '4 hours', at_most: 2 }, [0, 4, 12]],
    ['not sooner than it says', { after: '2 days' }, [0, 48]],
    [
      'with a pause, though a stored set has none',
      { after: '0 minutes' },
      [0, 1, 2, 3, 4, 6, 9, 15, 26, 48, 72],
    ],
  ])('is reminded of %s', async (_name, repeat, hours) => {
    const announcer = await anAnnouncer([sales], repeating(repeat));
    await announcer.happens(sales, { transition: 'fired' });
    expect(await hoursNotified(announcer, 80)).toEqual(hours);
    expect(new Set(announcer.notified('team').slice(1))).toEqual(new Set(['reminded sales']));
    const keys = announcer.channel('team').sent.flatMap(({ items }) => items.map(({ key }) => key));
    expect(new Set(keys).size).toBe(hours.length);
  });

  it('is reminded of once a week when it has stood for two', async () => {
    const announcer = await anAnnouncer([sales], repeating({ after: '1 day' }));
    await announcer.happens(sales, { transition: 'fired' });
    const daysNotified: number[] = [];
    for (let day = 0; day <= 40; day++) {
      const before = announcer.notified('team').length;
      await announcer.sweep(day === 0 ? 0 : 24);
      if (announcer.notified('team').length > before) daysNotified.push(day);
    }
    expect(daysNotified).toEqual([...Array.from({ length: 15 }, (_, day) => day), 21, 28, 35]);
  });

  it('is reminded of with the figures of then', async () => {
    const announcer = await anAnnouncer([sales], repeating({ after: '1 hour' }));
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep();
    const alert = await announcer.alertOf(sales);
    const last = { ...breached(1), current: value(17) };
    if (alert) await announcer.alerts.save({ ...alert, last });
    await announcer.sweep(1);
    expect(JSON.stringify(announcer.channel('team').sent[1])).toContain('17 events');
  });

  it.each(['recovered', 'acknowledged', 'flapping', 'accepted', 'excused'] as const)(
    'is not reminded of once it %s',
    async (transition) => {
      const announcer = await anAnnouncer([sales], repeating({ after: '4 hours' }));
      await announcer.happens(sales, { transition: 'fired' });
      await announcer.sweep();
      await announcer.happens(sales, { transition });
      expect(await hoursNotified(announcer, 24)).toEqual([0]);
      expect(announcer.notified('team')).toEqual(['fired sales', `${transition} sales`]);
      expect(await announcer.alertOf(sales)).toMatchObject({ pending: {}, pendingAt: null });
    },
  );

  it('is not reminded of on a channel that hears of it only after somebody took it', async () => {
    const announcer = await anAnnouncer([sales], repeating({ after: '1 hour' }));
    announcer.channel('team').refuseNext({ kind: 'refused', permanent: false, reason: 'no' });
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep();
    await announcer.happens(sales, { transition: 'acknowledged' });
    await hoursNotified(announcer, 12);
    expect(announcer.notified('team')).toEqual(['fired sales', 'acknowledged sales']);
  });

  it('that ended unnoticed is struck, and not looked at for ever', async () => {
    const announcer = await anAnnouncer([sales], repeating({ after: '1 hour' }));
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep();
    const alert = await announcer.alertOf(sales);
    if (alert) await announcer.alerts.save({ ...alert, state: 'normal', fired: null });
    await announcer.sweep(2);
    expect(announcer.notified('team')).toEqual(['fired sales']);
    expect((await announcer.alertOf(sales))?.pendingAt).toBeNull();
  });

  it('ends as what was told, however often it was repeated', async () => {
    const announcer = await anAnnouncer([sales], repeating({ after: '5 minutes' }));
    await announcer.happens(sales, { transition: 'fired' });
    await hoursNotified(announcer, 48);
    await announcer.happens(sales, { transition: 'recovered' });
    await announcer.sweep();
    expect(announcer.notified('team').at(-1)).toBe('recovered sales');
    expect((await announcer.alertOf(sales))?.sent.map(({ transition }) => transition)).toEqual([
      ...['recovered', 'reminded', 'fired'],
    ]);
  });
});

it('is told where its route leads now, and reminded of there', async () => {
  const leadingTo = (name: string) => ({
    channels: channelsNamed('team', 'boss'),
    default: { channels: [name], repeat: { after: '4 hours' } },
  });
  const announcer = await anAnnouncer([sales], leadingTo('team'));
  await announcer.happens(sales, { transition: 'fired' });
  await announcer.sweep();
  const routes = routesSchema.parse(leadingTo('boss'));
  await announcer.rules.save({ version: 'next', rules: [sales], routes });
  for (let i = 0; i < 3; i++) await announcer.sweep(12);
  expect(announcer.notified('team')).toEqual(['fired sales']);
  expect(announcer.notified('boss').slice(0, 2)).toEqual(['fired sales', 'reminded sales']);
  await announcer.happens(sales, { transition: 'recovered' });
  await announcer.sweep();
  expect(announcer.notified('team')).toEqual(['fired sales', 'recovered sales']);
  expect(announcer.notified('boss').at(-1)).toBe('recovered sales');
});

it('is not told by a new route while that is mute, and is afterwards', async () => {
  const leadingTo = (name: string, mute: string[]) => ({
    channels: channelsNamed('team', 'boss'),
    calendars: { early: { weekly: [{ days: ['mon', 'tue'], from: '00:00', to: '23:59' }] } },
    default: { channels: [name], repeat: { after: '4 hours' } },
    ...(mute.length > 0 && {
      routes: [
        {
          ...{ name: 'mute', match: { rule: 'sales' }, channels: [name], mute },
          repeat: { after: '4 hours' },
        },
      ],
    }),
  });
  const announcer = await anAnnouncer([sales], leadingTo('team', []));
  await announcer.happens(sales, { transition: 'fired' });
  await announcer.sweep();
  const routes = routesSchema.parse(leadingTo('boss', ['early']));
  await announcer.rules.save({ version: 'next', rules: [sales], routes });
  for (let i = 0; i < 4; i++) await announcer.sweep(4);
  expect(announcer.notified('boss')).toEqual([]);
  for (let i = 0; i < 16; i++) await announcer.sweep(4);
  expect(announcer.notified('boss').slice(0, 2)).toEqual(['fired sales', 'reminded sales']);
});

it('is told to have been taken where it was told, and nowhere else', async () => {
  const announcer = await anAnnouncer([sales], {
    channels: channelsNamed('team', 'boss'),
    default: ['team'],
  });
  await announcer.happens(sales, { transition: 'fired' });
  await announcer.happens(sales, { transition: 'acknowledged' });
  await announcer.sweep();
  await announcer.sweep();
  expect(announcer.notified('team')).toEqual(['fired sales', 'acknowledged sales']);

  const routes = routesSchema.parse({ channels: channelsNamed('team', 'boss'), default: ['boss'] });
  await announcer.rules.save({ version: 'next', rules: [sales], routes });
  announcer.clock.advanceTo(announcer.clock.now() + HOUR);
  await announcer.happens(sales, { transition: 'acknowledged' });
  await announcer.sweep();
  expect([announcer.notified('team'), announcer.notified('boss')]).toEqual([
    ['fired sales', 'acknowledged sales', 'acknowledged sales'],
    [],
  ]);
});
