import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../shared/alerts/alert.ts';
import { type Given, giveAnswer } from '../../../shared/responding/give-answer.ts';
import { inMemoryUsedLinks } from '../../fakes/in-memory-used-links.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

const sales = ruleNamed('sales');
const KEY = { ruleId: 'sales', segment: null };

type Notifier = Awaited<ReturnType<typeof createNotifier>>;

async function answer(notifier: Notifier, given: Answer): Promise<void> {
  const about: Given = { key: KEY, answer: given, firedWindowEndAt: undefined, link: null };
  const deps = { ...notifier, used: inMemoryUsedLinks() };
  expect((await giveAnswer(about, { by: 'Anna', reason: 'a release', how: 'page' }, deps)).kind).toBe(
    'answered',
  );
}

/** The notifications to the team with the hour of each, such as "2 reminded sales". */
async function notifiedHourly(notifier: Notifier, hours: number): Promise<string[]> {
  const notified: string[] = [];
  for (let hour = 0; hour <= hours; hour++) {
    const before = notifier.notified('team').length;
    await notifier.sweep(hour === 0 ? 0 : 1);
    notified.push(
      ...notifier
        .notified('team')
        .slice(before)
        .map((each) => `${hour} ${each}`),
    );
  }
  return notified;
}

async function firing(repeat?: Record<string, unknown>) {
  const notifier = await createNotifier([sales], {
    channels: channelsNamed('team'),
    default: { channels: ['team'], ...(repeat && { repeat }) },
  });
  await notifier.happens(sales, { transition: 'fired' });
  await notifier.sweep();
  return notifier;
}

describe('a snooze', () => {
  it('is sent at once, and followed by one reminder when it ends', async () => {
    const notifier = await firing();
    await answer(notifier, 'snooze-1d');
    expect(await notifiedHourly(notifier, 72)).toEqual(['0 snoozed sales', '24 reminded sales']);
    const [, snoozed] = notifier.channel('team').sent;
    expect(JSON.stringify(snoozed)).toContain('until Tue 3 Mar 2026, 12:00 (UTC), by Anna: a release');
    expect((await notifier.alertOf(sales))?.pending).toEqual({});
  });

  it.each([
    ['sooner', { after: '30 minutes' }, ['0 snoozed sales', '24 reminded sales', '25 reminded sales']],
    ['later', { after: '2 days', at_most: 1 }, ['0 snoozed sales', '24 reminded sales']],
  ])('is followed by one reminder at its end if the route repeats %s', async (_, repeat, notified) => {
    const notifier = await firing(repeat);
    await answer(notifier, 'snooze-1d');
    expect(await notifiedHourly(notifier, 25)).toEqual(notified);
  });

  it('does not restart the reminders of the route after their limit', async () => {
    const notifier = await firing({ after: '30 minutes', at_most: 1 });
    expect(await notifiedHourly(notifier, 3)).toEqual(['1 reminded sales']);
    await answer(notifier, 'snooze-1h');
    expect(await notifiedHourly(notifier, 24)).toEqual(['0 snoozed sales', '1 reminded sales']);
  });

  it('that follows another is sent too, and replaces it', async () => {
    const notifier = await firing();
    await answer(notifier, 'snooze-1h');
    expect(await notifiedHourly(notifier, 1)).toEqual(['0 snoozed sales', '1 reminded sales']);
    await answer(notifier, 'snooze-1h');
    await answer(notifier, 'snooze-1d');
    expect(await notifiedHourly(notifier, 48)).toEqual(['0 snoozed sales', '24 reminded sales']);
    const keys = notifier.channel('team').sent.flatMap(({ items }) => items.map(({ key }) => key));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each(['acknowledged', 'recovered'] as const)(
    'has no reminder once the alert is %s',
    async (transition) => {
      const notifier = await firing();
      await answer(notifier, 'snooze-1d');
      await notifier.sweep();
      await notifier.happens(sales, { transition });
      expect(await notifiedHourly(notifier, 48)).toEqual([`0 ${transition} sales`]);
    },
  );

  it('until recovery is sent, and has no reminder', async () => {
    const notifier = await firing();
    await answer(notifier, 'snooze-until-recovered');
    expect(await notifiedHourly(notifier, 48)).toEqual(['0 snoozed sales']);
  });
});

describe('a sent answer', () => {
  const names = ['team', 'boss', 'pager'];
  const flapped = async (answers: Answer[]) => {
    const notifier = await createNotifier([sales], {
      channels: channelsNamed(...names),
      default: { channels: names },
    });
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    for (const each of answers) await answer(notifier, each);
    await notifier.sweep();
    for (const transition of ['flapping', 'persists'] as const) {
      await notifier.happens(sales, { transition });
      await notifier.sweep(1);
    }
    return notifier;
  };

  it('is not sent to any channel again in the same incident after it flapped', async () => {
    const notifier = await flapped(['acknowledge']);
    const once = ['fired sales', 'acknowledged sales', 'flapping sales', 'persists sales'];
    expect(names.map((name) => notifier.notified(name))).toEqual([once, once, once]);
  });

  it('does not prevent the acknowledgement of the next incident from being sent', async () => {
    const notifier = await flapped(['acknowledge']);
    await notifier.happens(sales, { transition: 'recovered' });
    await notifier.sweep(1);
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep(1);
    await answer(notifier, 'acknowledge');
    await notifier.sweep();
    for (const name of names)
      expect(notifier.notified(name).slice(-3)).toEqual([
        'recovered sales',
        'fired sales',
        'acknowledged sales',
      ]);
    const answered = (await notifier.alertOf(sales))?.sent.filter(
      ({ transition }) => transition === 'acknowledged',
    );
    expect(answered).toHaveLength(names.length);
  });
});
