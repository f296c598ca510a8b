import { describe, expect, it } from 'vitest';
import type { Channel, SendResult } from '../../../shared/messages/channel.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

const [sales, visits] = [ruleNamed('sales'), ruleNamed('visits', { owner: 'web', severity: 'critical' })];

describe('the notifications of one tick', () => {
  it('are one message for each channel and route', async () => {
    const routes = {
      channels: channelsNamed('team', 'boss'),
      default: ['team'],
      routes: [{ name: 'web', match: { owner: 'web' }, channels: ['team', 'boss'] }],
    };
    const notifier = await createNotifier([sales, visits], routes);
    for (const rule of [sales, visits])
      for (const segment of ['Malta', 'France'])
        await notifier.happens(rule, { transition: 'fired', segment });
    await notifier.sweep();
    expect(notifier.notified('team')).toEqual([
      'fired sales [France], fired sales [Malta]',
      'fired visits [France], fired visits [Malta]',
    ]);
    expect(notifier.notified('boss')).toEqual(['fired visits [France], fired visits [Malta]']);
    await notifier.sweep(1);
    expect(notifier.notified('team')).toHaveLength(2);
  });

  it.each([
    [
      ['segment'],
      ['fired sales [Malta], fired visits [Malta]', 'fired sales [France], fired visits [France]'],
    ],
    [['rule'], ['fired sales [France], fired sales [Malta]', 'fired visits [France], fired visits [Malta]']],
    [
      ['owner', 'segment'],
      ['fired sales [Malta]', 'fired sales [France]', 'fired visits [Malta]', 'fired visits [France]'],
    ],
  ])('are one message for each %j if the route groups by it', async (group_by, messages) => {
    const rules = [ruleNamed('sales'), ruleNamed('visits', { owner: 'web' })];
    const routes = { channels: channelsNamed('team'), default: { channels: ['team'], group_by } };
    const notifier = await createNotifier(rules, routes);
    for (const rule of rules)
      for (const segment of ['Malta', 'France'])
        await notifier.happens(rule, { transition: 'fired', segment });
    await notifier.sweep();
    expect(notifier.notified('team')).toEqual(messages);
  });

  it('wait until all batches of the tick are finished', async () => {
    const notifier = await createNotifier([sales, visits], {
      channels: channelsNamed('team'),
      default: ['team'],
    });
    const tick = `tick-${notifier.clock.now()}`;
    await notifier.runs.saveTick({ id: tick, scheduledAt: notifier.clock.now(), batches: ['one', 'two'] });
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.runs.finishBatch(tick, 'one');
    await notifier.sweep();
    await notifier.happens(visits, { transition: 'fired' });
    await notifier.runs.finishBatch(tick, 'two');
    expect(notifier.notified('team')).toEqual([]);
    await notifier.sweep();
    expect(notifier.notified('team')).toEqual(['fired visits, fired sales']);
  });
});

describe('a channel', () => {
  const routes = {
    channels: channelsNamed('team', 'pager'),
    default: { channels: ['pager', 'team'], group_by: ['rule'] },
  };

  it('that hangs does not delay other channels', async () => {
    const hanging: Channel = { send: () => new Promise<SendResult>(() => {}) };
    const notifier = await createNotifier([sales, visits], routes, { channels: { pager: hanging } });
    const notified = Promise.withResolvers<void>();
    const { save } = notifier.deliveries;
    notifier.deliveries.save = async (delivery) => {
      await save(delivery);
      if (notifier.notified('team').length === 2) notified.resolve();
    };
    for (const rule of [sales, visits]) await notifier.happens(rule, { transition: 'fired' });
    void notifier.sweep();
    await notified.promise;
    expect(notifier.notified('team')).toEqual(['fired sales', 'fired visits']);
  });

  it('that asks to wait gets no message of any alert for that long, and loses none', async () => {
    const notifier = await createNotifier([sales, visits], routes);
    for (const rule of [sales, visits]) await notifier.happens(rule, { transition: 'fired' });
    const retryAfterMs = 90_000;
    notifier
      .channel('pager')
      .refuseNext({ kind: 'refused', permanent: false, reason: 'slow down', retryAfterMs });
    await notifier.sweep();
    expect([notifier.notified('pager'), notifier.notified('team')]).toEqual([
      [],
      ['fired sales', 'fired visits'],
    ]);
    await notifier.sweep(0.02);
    expect(notifier.notified('pager')).toEqual([]);
    await notifier.sweep(0.02);
    expect(notifier.notified('pager')).toEqual(['fired visits', 'fired sales']);
  });

  it('that accepts some items is sent only the others again', async () => {
    const sent: string[][] = [];
    const oneByOne: Channel = {
      send: async ({ items }) => {
        sent.push(items.map(({ ruleId }) => ruleId));
        const [first, ...left] = items;
        if (left.length === 0) return { kind: 'sent' };
        return {
          kind: 'refused',
          permanent: false,
          reason: 'the others follow',
          sentKeys: first ? [first.key] : [],
        };
      },
    };
    const notifier = await createNotifier(
      [sales, visits],
      { ...routes, default: ['pager'] },
      { channels: { pager: oneByOne } },
    );
    for (const rule of [sales, visits]) await notifier.happens(rule, { transition: 'fired' });
    const [first, second] = [await notifier.sweep(), await notifier.sweep(0.05)];
    expect(sent).toEqual([['visits', 'sales'], ['sales']]);
    expect([first.sent.length, first.failed.length, second.sent.length]).toEqual([1, 1, 1]);
    expect(notifier.counted).not.toContain('NotificationsStuck');
    expect(await notifier.sweep(2)).toEqual({ sent: [], failed: [] });
  });

  it('gets the end after the start, even if the start was refused and delayed', async () => {
    const notifier = await createNotifier([sales], { ...routes, default: ['pager'] });
    await notifier.happens(sales, { transition: 'fired' });
    notifier.channel('pager').refuseNext({
      ...{ kind: 'refused', permanent: false, reason: 'too much at once' },
      retryAfterMs: HOUR_MS,
    });
    await notifier.sweep();
    notifier.clock.advanceTo(notifier.clock.now() + 60_000);
    await notifier.happens(sales, { transition: 'recovered' });
    await notifier.sweep();
    expect(notifier.notified('pager')).toEqual([]);
    await notifier.sweep(1);
    expect(notifier.notified('pager')).toEqual(['fired sales, recovered sales']);
  });

  it('gets each notification once if the alert is saved during the send', async () => {
    const sending = Promise.withResolvers<void>();
    const evaluated = Promise.withResolvers<void>();
    const notified: string[] = [];
    const slow: Channel = {
      send: async ({ items }) => {
        notified.push(...items.map(({ transition }) => transition));
        sending.resolve();
        await evaluated.promise;
        return { kind: 'sent' };
      },
    };
    const notifier = await createNotifier(
      [sales],
      { ...routes, default: ['pager'] },
      { channels: { pager: slow } },
    );
    await notifier.happens(sales, { transition: 'fired' });
    const sweep = notifier.sweep();
    await sending.promise;
    await notifier.happens(sales, { transition: 'recovered' });
    evaluated.resolve();
    await sweep;
    const alert = await notifier.alertOf(sales);
    expect(alert).toMatchObject({ state: 'normal', pending: {} });
    expect(notified).toEqual(['fired', 'recovered']);
  });

  it('that was removed from the route still gets the end of what it was notified of', async () => {
    const notifier = await createNotifier([sales], routes);
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    const [alert] = await notifier.alerts.loadOfRule('sales');
    expect(alert?.sent.map(({ channel }) => channel).toSorted()).toEqual(['pager', 'team']);
    const moved = await createNotifier([sales], { ...routes, default: ['team'] });
    await moved.alerts.save({ ...(alert ?? never()), revision: 0 });
    await moved.happens(sales, { transition: 'recovered' });
    await moved.sweep();
    expect([moved.notified('pager'), moved.notified('team')]).toEqual([
      ['recovered sales'],
      ['recovered sales'],
    ]);
  });
});

describe('each attempt', () => {
  const routes = { channels: channelsNamed('team'), default: ['team'] };

  it('is recorded as a delivery, whether it succeeds or fails', async () => {
    const notifier = await createNotifier([sales, visits], routes);
    for (const rule of [sales, visits]) await notifier.happens(rule, { transition: 'fired' });
    notifier.channel('team').refuseNext({ kind: 'refused', permanent: false, reason: 'Slack answered 500' });
    await notifier.sweep();
    await notifier.sweep(1);
    const [sent, failed] = await notifier.deliveries.loadLast(5);
    expect(sent).toMatchObject({ channel: 'team', route: 'default', alerts: 2, outcome: { kind: 'sent' } });
    expect(sent?.keys).toEqual(notifier.channel('team').sent[0]?.items.map(({ key }) => key));
    expect(failed?.outcome).toEqual({ kind: 'failed', reason: 'Slack answered 500', permanent: false });
  });

  it('counts as sent even if its delivery cannot be recorded', async () => {
    const deliveries = { save: () => Promise.reject(new Error('no table')), loadLast: async () => [] };
    const notifier = await createNotifier([sales], routes, { deliveries });
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    await notifier.sweep(1);
    expect(notifier.notified('team')).toEqual(['fired sales']);
    expect(notifier.logged).toContain('a delivery could not be logged');
  });
});

describe('the links of a message', () => {
  const routes = { channels: channelsNamed('team'), default: ['team'] };
  it('that cannot be created do not delay the message', async () => {
    const linksFor = () => Promise.reject(new Error('no secret'));
    const links = { overviewUrl: 'https://watch.example.com/', linksFor };
    const notifier = await createNotifier([sales], routes, { links });
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    expect(notifier.channel('team').sent[0]?.items[0]?.links).toBeNull();
    expect(notifier.logged).toContain('a message is sent without links');
  });
});

function never(): never {
  throw new Error('there is no alert');
}
