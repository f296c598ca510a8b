import { describe, expect, it } from 'vitest';
import type { Channel, SendResult } from '../../../shared/alerting/messages/channel.ts';
import { HOUR, ruleNamed } from '../../fixtures/builders.ts';
import { anAnnouncer, channelsNamed } from '../announcer.ts';

const [sales, visits] = [ruleNamed('sales'), ruleNamed('visits', { owner: 'web', severity: 'critical' })];

describe('what one tick found', () => {
  it('is one message for each channel and route', async () => {
    const routes = {
      channels: channelsNamed('team', 'boss'),
      default: ['team'],
      routes: [{ name: 'web', match: { owner: 'web' }, channels: ['team', 'boss'] }],
    };
    const announcer = await anAnnouncer([sales, visits], routes);
    for (const rule of [sales, visits])
      for (const segment of ['Malta', 'France'])
        await announcer.happens(rule, { transition: 'fired', segment });
    await announcer.sweep();
    expect(announcer.notified('team')).toEqual([
      'fired sales [France], fired sales [Malta]',
      'fired visits [France], fired visits [Malta]',
    ]);
    expect(announcer.notified('boss')).toEqual(['fired visits [France], fired visits [Malta]']);
    await announcer.sweep(1);
    expect(announcer.notified('team')).toHaveLength(2);
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
  ])('is a message for each %j where the route groups by it', async (group_by, messages) => {
    const expectedRange = [ruleNamed('sales'), ruleNamed('visits', { owner: 'web' })];
    const routes = { channels: channelsNamed('team'), default: { channels: ['team'], group_by } };
    const announcer = await anAnnouncer(expectedRange, routes);
    for (const rule of expectedRange)
      for (const segment of ['Malta', 'France'])
        await announcer.happens(rule, { transition: 'fired', segment });
    await announcer.sweep();
    expect(announcer.notified('team')).toEqual(messages);
  });

  it('waits for the rest of its tick, however many of them', async () => {
    const announcer = await anAnnouncer([sales, visits], {
      channels: channelsNamed('team'),
      default: ['team'],
    });
    const tick = `tick-${announcer.clock.now()}`;
    await announcer.runs.saveTick({ id: tick, scheduledAt: announcer.clock.now(), batches: ['one', 'two'] });
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.runs.finishBatch(tick, 'one');
    await announcer.sweep();
    await announcer.happens(visits, { transition: 'fired' });
    await announcer.runs.finishBatch(tick, 'two');
    expect(announcer.notified('team')).toEqual([]);
    await announcer.sweep();
    expect(announcer.notified('team')).toEqual(['fired visits, fired sales']);
  });
});

describe('a channel', () => {
  const routes = {
    channels: channelsNamed('team', 'pager'),
    default: { channels: ['pager', 'team'], group_by: ['rule'] },
  };

  it('that hangs delays no other', async () => {
    const hanging: Channel = { send: () => new Promise<SendResult>(() => {}) };
    const announcer = await anAnnouncer([sales, visits], routes, { channels: { pager: hanging } });
    const notified = Promise.withResolvers<void>();
    const { save } = announcer.deliveries;
    announcer.deliveries.save = async (delivery) => {
      await save(delivery);
      if (announcer.notified('team').length === 2) notified.resolve();
    };
    for (const rule of [sales, visits]) await announcer.happens(rule, { transition: 'fired' });
    void announcer.sweep();
    await notified.promise;
    expect(announcer.notified('team')).toEqual(['fired sales', 'fired visits']);
  });

  it('in trouble is left alone until the next sweep, and loses nothing', async () => {
    const announcer = await anAnnouncer([sales, visits], routes);
    for (const rule of [sales, visits]) await announcer.happens(rule, { transition: 'fired' });
    const retryAfterMs = 90_000;
    announcer
      .channel('pager')
      .refuseNext({ kind: 'refused', permanent: false, reason: 'slow down', retryAfterMs });
    await announcer.sweep();
    expect([announcer.notified('pager'), announcer.notified('team')]).toEqual([
      [],
      ['fired sales', 'fired visits'],
    ]);
    await announcer.sweep(0.02);
    expect(announcer.notified('pager')).toEqual(['fired visits']);
    await announcer.sweep(0.02);
    expect(announcer.notified('pager')).toEqual(['fired visits', 'fired sales']);
  });

  it('that takes items one by one is sent again only those that did not get through', async () => {
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
    const announcer = await anAnnouncer(
      [sales, visits],
      { ...routes, default: ['pager'] },
      { channels: { pager: oneByOne } },
    );
    for (const rule of [sales, visits]) await announcer.happens(rule, { transition: 'fired' });
    const [first, second] = [await announcer.sweep(), await announcer.sweep(0.05)];
    expect(sent).toEqual([['visits', 'sales'], ['sales']]);
    expect([first.sent.length, first.failed.length, second.sent.length]).toEqual([1, 1, 1]);
    expect(announcer.counted).not.toContain('NotificationsStuck');
    expect(await announcer.sweep(2)).toEqual({ sent: [], failed: [] });
  });

  it('hears of an end after the beginning, though that was refused and put off', async () => {
    const announcer = await anAnnouncer([sales], { ...routes, default: ['pager'] });
    await announcer.happens(sales, { transition: 'fired' });
    announcer.channel('pager').refuseNext({
      ...{ kind: 'refused', permanent: false, reason: 'too much at once' },
      retryAfterMs: HOUR,
    });
    await announcer.sweep();
    announcer.clock.advanceTo(announcer.clock.now() + 60_000);
    await announcer.happens(sales, { transition: 'recovered' });
    await announcer.sweep();
    expect(announcer.notified('pager')).toEqual([]);
    await announcer.sweep(1);
    expect(announcer.notified('pager')).toEqual(['fired sales, recovered sales']);
  });

  it('is told once though the judge saves the alert meanwhile, and what was saved is kept', async () => {
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
    const announcer = await anAnnouncer(
      [sales],
      { ...routes, default: ['pager'] },
      { channels: { pager: slow } },
    );
    await announcer.happens(sales, { transition: 'fired' });
    const sweep = announcer.sweep();
    await sending.promise;
    await announcer.happens(sales, { transition: 'recovered' });
    evaluated.resolve();
    await sweep;
    const alert = await announcer.alertOf(sales);
    expect(alert).toMatchObject({ state: 'normal', pending: {} });
    expect(notified).toEqual(['fired', 'recovered']);
  });

  it('that left the route still hears that what it was told of is over', async () => {
    const announcer = await anAnnouncer([sales], routes);
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep();
    const [alert] = await announcer.alerts.loadOfRule('sales');
    expect(alert?.sent.map(({ channel }) => channel).toSorted()).toEqual(['pager', 'team']);
    const moved = await anAnnouncer([sales], { ...routes, default: ['team'] });
    await moved.alerts.save({ ...(alert ?? never()), revision: 0 });
    await moved.happens(sales, { transition: 'recovered' });
    await moved.sweep();
    expect([moved.notified('pager'), moved.notified('team')]).toEqual([
      ['recovered sales'],
      ['recovered sales'],
    ]);
  });
});

describe('every attempt', () => {
  const routes = { channels: channelsNamed('team'), default: ['team'] };

  it('is logged for people, sent or not', async () => {
    const announcer = await anAnnouncer([sales, visits], routes);
    for (const rule of [sales, visits]) await announcer.happens(rule, { transition: 'fired' });
    announcer.channel('team').refuseNext({ kind: 'refused', permanent: false, reason: 'Slack answered 500' });
    await announcer.sweep();
    await announcer.sweep(1);
    const [sent, failed] = await announcer.deliveries.loadLast(5);
    expect(sent).toMatchObject({ channel: 'team', route: 'default', alerts: 2, outcome: { kind: 'sent' } });
    expect(sent?.keys).toEqual(announcer.channel('team').sent[0]?.items.map(({ key }) => key));
    expect(failed?.outcome).toEqual({ kind: 'failed', reason: 'Slack answered 500', permanent: false });
  });

  it('counts as sent though it cannot be logged', async () => {
    const deliveries = { save: () => Promise.reject(new Error('no table')), loadLast: async () => [] };
    const announcer = await anAnnouncer([sales], routes, { deliveries });
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep();
    await announcer.sweep(1);
    expect(announcer.notified('team')).toEqual(['fired sales']);
    expect(announcer.logged).toContain('a delivery could not be logged');
  });
});

describe('the links of a message', () => {
  const routes = { channels: channelsNamed('team'), default: ['team'] };
  const many = Array.from({ length: 12 }, (_, i) =>
    ruleNamed(`rule-${i}`, { metric: 'session_seconds', filters: [] }),
  );

  it('are made for what is shown, and for no more', async () => {
    const made: string[] = [];
    const links = {
      overviewUrl: 'https://watch.example.com/',
      linksFor: async ({ alert }: { alert: { ruleId: string } }) => {
        made.push(alert.ruleId);
        return { open: `https://watch.example.com/${alert.ruleId}`, picture: null, answers: [] };
      },
    };
    const announcer = await anAnnouncer(many, routes, { links });
    for (const rule of many) await announcer.happens(rule, { transition: 'fired' });
    await announcer.sweep();
    const [message] = announcer.channel('team').sent;
    expect(made).toHaveLength(10);
    expect(message?.overviewUrl).toBe('https://watch.example.com/');
    const withLinks = message?.items.map(
      ({ ruleId, links }) => links?.open === `https://watch.example.com/${ruleId}`,
    );
    expect(withLinks).toEqual([...Array(10).fill(true), false, false]);
  });

  it('that cannot be made hold up nothing', async () => {
    const linksFor = () => Promise.reject(new Error('no secret'));
    const links = { overviewUrl: 'https://watch.example.com/', linksFor };
    const announcer = await anAnnouncer([sales], routes, { links });
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep();
    expect(announcer.channel('team').sent[0]?.items[0]?.links).toBeNull();
    expect(announcer.logged).toContain('a message is sent without links');
  });
});

function never(): never {
  throw new Error('there is no alert');
}
