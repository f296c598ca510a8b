import { describe, expect, it } from 'vitest';
import { routesSchema } from '../../../shared/notifications/routes.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { breached, ruleNamed, value } from '../../fixtures/builders.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

const sales = ruleNamed('sales');
const repeating = (repeat: Record<string, unknown>) => ({
  channels: channelsNamed('team'),
  default: { channels: ['team'], repeat },
});

/** The hours, from 0 to `hours`, at which the team was sent something. */
async function hoursNotified(
  notifier: Awaited<ReturnType<typeof createNotifier>>,
  hours: number,
): Promise<number[]> {
  const notified: number[] = [];
  for (let hour = 0; hour <= hours; hour++) {
    const before = notifier.notified('team').length;
    await notifier.sweep(hour === 0 ? 0 : 1);
    if (notifier.notified('team').length > before) notified.push(hour);
  }
  return notified;
}

describe('a firing alert on a route that repeats', () => {
  it.each([
    ['at doubling intervals of at most a day', { after: '4 hours' }, [0, 4, 12, 28, 52, 76]],
    ['up to the limit of the route', { after: '4 hours', at_most: 2 }, [0, 4, 12]],
    ['not sooner than the route says', { after: '2 days' }, [0, 48]],
  ])('has reminders %s', async (_name, repeat, hours) => {
    const notifier = await createNotifier([sales], repeating(repeat));
    await notifier.happens(sales, { transition: 'fired' });
    expect(await hoursNotified(notifier, 80)).toEqual(hours);
    expect(new Set(notifier.notified('team').slice(1))).toEqual(new Set(['reminded sales']));
    const keys = notifier.channel('team').sent.flatMap(({ items }) => items.map(({ key }) => key));
    expect(new Set(keys).size).toBe(hours.length);
  });

  it('has reminders with the latest figures', async () => {
    const notifier = await createNotifier([sales], repeating({ after: '1 hour' }));
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    const alert = await notifier.alertOf(sales);
    const last = breached(1, { current: value(17) });
    if (alert) await notifier.alerts.save({ ...alert, last });
    await notifier.sweep(1);
    expect(JSON.stringify(notifier.channel('team').sent[1])).toContain('17 events');
  });

  it.each(['recovered', 'acknowledged', 'flapping', 'accepted', 'excused'] as const)(
    'has no reminders once it is %s',
    async (transition) => {
      const notifier = await createNotifier([sales], repeating({ after: '4 hours' }));
      await notifier.happens(sales, { transition: 'fired' });
      await notifier.sweep();
      await notifier.happens(sales, { transition });
      expect(await hoursNotified(notifier, 24)).toEqual([0]);
      expect(notifier.notified('team')).toEqual(['fired sales', `${transition} sales`]);
      expect(await notifier.alertOf(sales)).toMatchObject({ pending: {}, pendingAt: null });
    },
  );

  it('has no reminders on a channel that is first notified after the acknowledgement', async () => {
    const notifier = await createNotifier([sales], repeating({ after: '1 hour' }));
    notifier.channel('team').refuseNext({ kind: 'refused', permanent: false, reason: 'no' });
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    await notifier.happens(sales, { transition: 'acknowledged' });
    await hoursNotified(notifier, 12);
    expect(notifier.notified('team')).toEqual(['fired sales']);
  });

  it('sends its recovery after many reminders', async () => {
    const notifier = await createNotifier([sales], repeating({ after: '5 minutes' }));
    await notifier.happens(sales, { transition: 'fired' });
    await hoursNotified(notifier, 48);
    await notifier.happens(sales, { transition: 'recovered' });
    await notifier.sweep();
    expect(notifier.notified('team').at(-1)).toBe('recovered sales');
    expect((await notifier.alertOf(sales))?.sent.map(({ transition }) => transition)).toEqual([
      ...['recovered', 'reminded', 'fired'],
    ]);
  });
});

it('an acknowledgement is sent only to channels that were sent the fire', async () => {
  const notifier = await createNotifier([sales], {
    channels: channelsNamed('team', 'boss'),
    default: ['team'],
  });
  await notifier.happens(sales, { transition: 'fired' });
  await notifier.sweep();
  await notifier.happens(sales, { transition: 'acknowledged' });
  await notifier.sweep();
  expect(notifier.notified('team')).toEqual(['fired sales', 'acknowledged sales']);

  const routes = routesSchema.parse({ channels: channelsNamed('team', 'boss'), default: ['boss'] });
  await notifier.rules.save({ version: 'next', rules: [sales], routes });
  notifier.clock.advanceTo(notifier.clock.now() + HOUR_MS);
  await notifier.happens(sales, { transition: 'acknowledged' });
  await notifier.sweep();
  expect([notifier.notified('team'), notifier.notified('boss')]).toEqual([
    ['fired sales', 'acknowledged sales', 'acknowledged sales'],
    [],
  ]);
});
