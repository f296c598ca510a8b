import { describe, expect, it } from 'vitest';
import { inMemoryUsedLinks } from '../../../shared/adapters/in-memory/stores.ts';
import type { Answer } from '../../../shared/alerting/alerts/alert.ts';
import type { Channel, SendResult } from '../../../shared/alerting/messages/channel.ts';
import { type Given, giveAnswer } from '../../../shared/responding/give-answer.ts';
import { HOUR, ruleNamed } from '../../fixtures/builders.ts';
import { anAnnouncer, channelsNamed } from '../announcer.ts';

const sales = ruleNamed('sales');
const KEY = { ruleId: 'sales', segment: null };

type Announcer = Awaited<ReturnType<typeof anAnnouncer>>;

async function say(announcer: Announcer, answer: Answer): Promise<void> {
  const given: Given = { key: KEY, answer, firedWindowEndAt: undefined, link: null };
  const deps = { ...announcer, used: inMemoryUsedLinks() };
  expect((await giveAnswer(given, { by: 'Anna', reason: 'a release' }, deps)).kind).toBe('answered');
}

/** "2 reminded sales": what the team was told, and after how many hours. */
async function notifiedHourly(announcer: Announcer, hours: number): Promise<string[]> {
  const notified: string[] = [];
  for (let hour = 0; hour <= hours; hour++) {
    const before = announcer.notified('team').length;
    await announcer.sweep(hour === 0 ? 0 : 1);
    notified.push(
      ...announcer
        .notified('team')
        .slice(before)
        .map((each) => `${hour} ${each}`),
    );
  }
  return notified;
}

async function firing(repeat?: Record<string, unknown>) {
  const announcer = await anAnnouncer([sales], {
    channels: channelsNamed('team'),
    default: { channels: ['team'], ...(repeat && { repeat }) },
  });
  await announcer.happens(sales, { transition: 'fired' });
  await announcer.sweep();
  return announcer;
}

describe('a snooze', () => {
  it('is told at once, and comes back once when it is over', async () => {
    const announcer = await firing();
    await say(announcer, 'snooze-1d');
    expect(await notifiedHourly(announcer, 72)).toEqual(['0 snoozed sales', '24 reminded sales']);
    const [, snoozed] = announcer.channel('team').sent;
    expect(JSON.stringify(snoozed)).toContain('until Tue 3 Mar 2026, 12:00 (UTC), by Anna: a release');
    expect((await announcer.alertOf(sales))?.pending).toEqual({});
  });

  it.each([
    [
      'sooner than it',
      { after: '30 minutes' },
      ['0 snoozed sales', '24 reminded sales', '25 reminded sales'],
    ],
    ['later than it', { after: '2 days', at_most: 1 }, ['0 snoozed sales', '24 reminded sales']],
  ])('comes back once where the route repeats %s', async (_, repeat, notified) => {
    const announcer = await firing(repeat);
    await say(announcer, 'snooze-1d');
    expect(await notifiedHourly(announcer, 25)).toEqual(notified);
  });

  it('begins nothing anew where the route has repeated as often as it may', async () => {
    const announcer = await firing({ after: '30 minutes', at_most: 1 });
    expect(await notifiedHourly(announcer, 3)).toEqual(['1 reminded sales']);
    await say(announcer, 'snooze-1h');
    expect(await notifiedHourly(announcer, 24)).toEqual(['0 snoozed sales', '1 reminded sales']);
  });

  it('that follows another is told too, and counts from then', async () => {
    const announcer = await firing();
    await say(announcer, 'snooze-1h');
    expect(await notifiedHourly(announcer, 1)).toEqual(['0 snoozed sales', '1 reminded sales']);
    await say(announcer, 'snooze-1h');
    await say(announcer, 'snooze-1d');
    expect(await notifiedHourly(announcer, 48)).toEqual(['0 snoozed sales', '24 reminded sales']);
    const keys = announcer.channel('team').sent.flatMap(({ items }) => items.map(({ key }) => key));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each(['acknowledged', 'recovered'] as const)('does not come back once it is %s', async (transition) => {
    const announcer = await firing();
    await say(announcer, 'snooze-1d');
    await announcer.sweep();
    await announcer.happens(sales, { transition });
    expect(await notifiedHourly(announcer, 48)).toEqual([`0 ${transition} sales`]);
  });

  it('until it recovers is told, and does not come back', async () => {
    const announcer = await firing();
    await say(announcer, 'snooze-until-recovered');
    expect(await notifiedHourly(announcer, 48)).toEqual(['0 snoozed sales']);
  });
});

describe('what somebody answered', () => {
  /** A channel that may fail, and tells what it was sent. */
  function channelThat(send: () => Promise<SendResult>) {
    const notified: string[] = [];
    const channel: Channel = {
      async send({ items }) {
        const result = await send();
        if (result.kind === 'sent') notified.push(items.map(({ transition }) => transition).join());
        return result;
      },
    };
    return { channel, notified };
  }
  const both = { channels: channelsNamed('team', 'pager'), default: ['team', 'pager'] };

  it('reaches a channel that was down', async () => {
    let isDown = true;
    const pager = channelThat(async () =>
      isDown ? { kind: 'refused', permanent: false, reason: 'down' } : { kind: 'sent' },
    );
    const announcer = await anAnnouncer([sales], both, { channels: { pager: pager.channel } });
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep();
    await say(announcer, 'acknowledge');
    await announcer.sweep();
    expect(announcer.notified('team')).toEqual(['fired sales', 'acknowledged sales']);
    isDown = false;
    await notifiedHourly(announcer, 24);
    expect(pager.notified).toEqual(['fired', 'acknowledged']);
  });

  it.each([
    ['acknowledge', ['fired', 'acknowledged']],
    ['snooze-1h', ['fired', 'snoozed', 'reminded']],
  ] as const)('%s reaches a channel that was being told, and the one after it', async (answer, notified) => {
    let announcer: Announcer | undefined;
    let isFirst = true;
    const slack = channelThat(async () => {
      if (announcer && isFirst) {
        isFirst = false;
        await say(announcer, answer);
      }
      return { kind: 'sent' };
    });
    announcer = await anAnnouncer([sales], both, { channels: { team: slack.channel } });
    await announcer.happens(sales, { transition: 'fired' });
    for (const hours of [0, 0.1, 0.1, 1, 24]) await announcer.sweep(hours);
    expect(slack.notified).toEqual(notified);
    expect(announcer.notified('pager')).toEqual(notified.map((each) => `${each} sales`));
    expect(announcer.clock.now()).toBeGreaterThan(25 * HOUR);
  });
});

describe('an answer that was told', () => {
  const names = ['team', 'boss', 'pager'];
  const flapped = async (answers: Answer[]) => {
    const announcer = await anAnnouncer([sales], {
      channels: channelsNamed(...names),
      default: { channels: names },
    });
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep();
    for (const answer of answers) await say(announcer, answer);
    await announcer.sweep();
    for (const transition of ['flapping', 'persists'] as const) {
      await announcer.happens(sales, { transition });
      await announcer.sweep(1);
    }
    return announcer;
  };

  it('is not told again in the same incident after it flapped, however many channels are told', async () => {
    const announcer = await flapped(['acknowledge']);
    const once = ['fired sales', 'acknowledged sales', 'flapping sales', 'persists sales'];
    expect(names.map((name) => announcer.notified(name))).toEqual([once, once, once]);
  });

  it('is forgotten with the incident: the next one that somebody takes is told as taken', async () => {
    const announcer = await flapped(['acknowledge']);
    await announcer.happens(sales, { transition: 'recovered' });
    await announcer.sweep(1);
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep(1);
    await say(announcer, 'acknowledge');
    await announcer.sweep();
    for (const name of names)
      expect(announcer.notified(name).slice(-3)).toEqual([
        'recovered sales',
        'fired sales',
        'acknowledged sales',
      ]);
    const answered = (await announcer.alertOf(sales))?.sent.filter(
      ({ transition }) => transition === 'acknowledged',
    );
    expect(answered).toHaveLength(names.length);
  });
});
