import { describe, expect, it } from 'vitest';
import { routesSchema } from '../../../shared/notifications/routes.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

const sales = ruleNamed('sales');

/** The route of sales names `channel`, and escalates to the boss after an hour. `ops` is the default. */
const routesNaming = (channel: string, settings: Record<string, unknown> = {}) => ({
  channels: channelsNamed(channel, 'ops', 'boss'),
  calendars: { lunch: { weekly: [{ days: ['mon'], from: '12:00', to: '13:00' }] } },
  routes: [
    {
      ...{ name: 'own', match: {}, channels: [channel] },
      ...{ escalate: [{ after: '1 hour', channels: ['boss'] }], ...settings },
    },
  ],
  default: ['ops'],
});

/** An alert fires for `team` at noon. Then the channel is renamed to `growth`. */
async function withRenamed(settings: Record<string, unknown> = {}) {
  const notifier = await createNotifier([sales], routesNaming('team', settings));
  const all = () => ['team', 'growth', 'ops', 'boss'].map((name) => notifier.notified(name));
  await notifier.happens(sales, { transition: 'fired' });
  const rename = async () => {
    const routes = routesSchema.parse(routesNaming('growth', settings));
    await notifier.rules.save({ version: 'renamed', rules: [sales], routes });
  };
  return { ...notifier, all, rename };
}

const fired = ['fired sales'];

describe('a notification for a channel that was renamed before it was sent', () => {
  it('goes to the default, and its end follows there', async () => {
    const notifier = await withRenamed();
    await notifier.rename();
    await notifier.sweep();
    expect(notifier.all()).toEqual([[], [], fired, []]);
    await notifier.happens(sales, { transition: 'acknowledged' });
    await notifier.sweep(0.1);
    await notifier.happens(sales, { transition: 'recovered' });
    await notifier.sweep(0.1);
    expect(notifier.all()).toEqual([[], [], ['fired sales', 'acknowledged sales', 'recovered sales'], []]);
    expect(await notifier.alertOf(sales)).toMatchObject({ pending: {} });
  });

  it('begins the wait of its escalation there', async () => {
    const notifier = await withRenamed();
    await notifier.rename();
    await notifier.sweep(2);
    expect(notifier.all()).toEqual([[], [], fired, []]);
    await notifier.sweep(0.9);
    expect(notifier.notified('boss')).toEqual([]);
    await notifier.sweep(0.1);
    expect(notifier.notified('boss')).toEqual(fired);
  });

  it('goes there at once, although that channel would get the escalation', async () => {
    const notifier = await withRenamed({ escalate: [{ after: '1 hour', channels: ['ops'] }] });
    await notifier.rename();
    await notifier.sweep();
    expect(notifier.all()).toEqual([[], [], fired, []]);
    await notifier.sweep(2);
    expect(notifier.all()).toEqual([[], [], fired, []]);
  });

  it.each([{ sweeps: 0 }, { sweeps: 1 }])(
    'and that was muted is not sent if the alert ended, after $sweeps sweeps',
    async ({ sweeps }) => {
      const notifier = await withRenamed({ mute: 'lunch' });
      await notifier.rename();
      for (let i = 0; i < sweeps; i++) await notifier.sweep();
      await notifier.happens(sales, { transition: 'recovered' });
      for (let i = 0; i < 3; i++) await notifier.sweep(1);
      expect(notifier.all()).toEqual([[], [], [], []]);
      expect(await notifier.alertOf(sales)).toMatchObject({ pending: {}, pendingAt: null });
    },
  );
});
