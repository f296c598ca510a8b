import { describe, expect, it } from 'vitest';
import { waitAsAsked } from '../../../functions/notify/delivery-results.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

const sales = ruleNamed('sales');
const MINUTE = 1 / 60;

/** The team is notified, on-call after 30 minutes and the boss after 2 hours. The notifier starts on a Monday at noon. */
async function escalating(settings: Record<string, unknown> = {}, others: Record<string, unknown> = {}) {
  const notifier = await createNotifier([sales], {
    channels: channelsNamed('team', 'mail', 'on-call', 'boss'),
    calendars: { lunch: { weekly: [{ days: ['mon'], from: '12:00', to: '13:00' }] } },
    default: {
      channels: ['team'],
      escalate: [
        { after: '30 minutes', channels: ['on-call'] },
        { after: '2 hours', channels: ['boss', 'on-call'] },
      ],
      ...settings,
    },
    ...others,
  });
  return {
    ...notifier,
    /** Sweeps every minute for some hours. */
    async wait(hours: number) {
      for (let minute = 0; minute < Math.round(hours * 60); minute++) await notifier.sweep(MINUTE);
    },
    all: () => ['team', 'on-call', 'boss'].map((name) => notifier.notified(name)),
  };
}

const [fired, recovered] = [['fired sales'], ['fired sales', 'recovered sales']];

describe('an alert that nobody answers', () => {
  it('goes to the channels of each step, and its end to all that were notified', async () => {
    const notifier = await escalating();
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    await notifier.sweep(29 * MINUTE);
    expect(notifier.all()).toEqual([fired, [], []]);
    await notifier.sweep(MINUTE);
    expect(notifier.all()).toEqual([fired, fired, []]);
    const [message] = notifier.channel('on-call').sent;
    expect(message?.text).toContain('down 60%, not acknowledged for 30 minutes');
    await notifier.happens(sales, { transition: 'recovered' });
    await notifier.wait(3);
    expect(notifier.all()).toEqual([recovered, recovered, []]);
    expect(await notifier.alertOf(sales)).toMatchObject({ pending: {}, pendingAt: null });
  });

  it('is escalated although its channel has asked another message to wait', async () => {
    const notifier = await escalating();
    const refusal = { kind: 'refused', permanent: false, reason: 'busy', retryAfterMs: 3_600_000 } as const;
    await waitAsAsked('team', refusal, notifier.deps);
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.wait(31 / 60);
    expect(notifier.all()).toEqual([[], fired, []]);
    await notifier.wait(1);
    expect(notifier.all()).toEqual([fired, fired, []]);
  });

  it('is escalated although its channel refuses it', async () => {
    const notifier = await escalating();
    const refusal = { kind: 'refused', permanent: true, reason: 'no', retryAfterMs: 3_600_000 } as const;
    notifier.channel('team').refuseNext(refusal);
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.wait(31 / 60);
    expect(notifier.all()).toEqual([[], fired, []]);
  });

  it('is escalated 30 minutes after its message, although both were due when the sweeps resumed', async () => {
    const notifier = await escalating();
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep(3);
    expect(notifier.all()).toEqual([fired, [], []]);
    await notifier.wait(29 / 60);
    expect(notifier.all()).toEqual([fired, [], []]);
    await notifier.wait(2 / 60);
    expect(notifier.all()).toEqual([fired, fired, []]);
    await notifier.wait(1.5);
    expect(notifier.all()).toEqual([fired, fired, fired]);
  });

  it('is escalated although its channel refuses so many messages that it never gets to this one', async () => {
    const notifier = await escalating({ group_by: ['segment'] });
    const refusal = { kind: 'refused', permanent: false, reason: 'no' } as const;
    notifier.channel('team').refuseNext(...Array(100).fill(refusal));
    for (let i = 0; i < 60; i++) await notifier.happens(sales, { transition: 'fired', segment: `${i}` });
    await notifier.wait(32 / 60);
    expect(notifier.notified('team')).toEqual([]);
    expect(notifier.notified('on-call')).toHaveLength(60);
  });

  it('is escalated although its message waits behind one that its channel refuses', async () => {
    const notifier = await escalating();
    const refusal = { kind: 'refused', permanent: false, reason: 'no', retryAfterMs: 3_600_000 } as const;
    const team = notifier.channel('team');
    team.refuseNext(refusal);
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    await notifier.happens(sales, { transition: 'recovered' });
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.wait(31 / 60);
    expect(notifier.all()).toEqual([[], fired, []]);
  });

  it('is escalated 30 minutes after the first of its channels accepted it', async () => {
    const notifier = await escalating({ channels: ['team', 'mail'] });
    const noRoom = { kind: 'refused', permanent: true, reason: 'full' } as const;
    notifier.channel('mail').refuseNext(noRoom);
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.wait(62 / 60);
    expect(notifier.notified('mail')).toEqual(fired);
    expect(notifier.all()).toEqual([fired, fired, []]);
    await notifier.wait(58 / 60);
    expect(notifier.all()).toEqual([fired, fired, []]);
    await notifier.wait(1 / 60);
    expect(notifier.all()).toEqual([fired, fired, fired]);
  });

  it('is escalated 30 minutes after the end of a mute', async () => {
    const notifier = await escalating({ mute: 'lunch' });
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.wait(1);
    expect(notifier.all()).toEqual([fired, [], []]);
    await notifier.wait(29 / 60);
    expect(notifier.notified('on-call')).toEqual([]);
    await notifier.wait(1 / 60);
    expect(notifier.notified('on-call')).toEqual(fired);
  });

  it('has reminders and later news on the channels that it reached', async () => {
    const notifier = await escalating({ repeat: { after: '1 hour', at_most: 1 } });
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.wait(1.8);
    expect(notifier.notified('on-call')).toEqual(['fired sales', 'reminded sales']);
    expect(notifier.channel('on-call').sent[1]?.title).not.toContain('not acknowledged for');
    await notifier.happens(sales, { transition: 'flapping' });
    await notifier.wait(2);
    expect(notifier.notified('on-call').at(-1)).toBe('flapping sales');
    expect(notifier.notified('boss')).toEqual([]);
  });
});

describe('an escalation of a second route', () => {
  /** The first route is muted until 13:00. The second one escalates to on-call after 30 minutes. */
  const twoRoutes = (second: string[]) =>
    escalating(
      { channels: ['boss'], escalate: undefined },
      {
        routes: [
          { name: 'all', match: {}, channels: ['team'], mute: 'lunch', continue: true },
          {
            ...{ name: 'own', match: { rule: 'sales' }, channels: second },
            escalate: [{ after: '30 minutes', channels: ['on-call'] }],
          },
        ],
      },
    );

  it('waits for the start on a channel that the first route names, and mutes', async () => {
    const notifier = await twoRoutes(['team']);
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.wait(1);
    expect(notifier.all()).toEqual([fired, [], []]);
    await notifier.wait(29 / 60);
    expect(notifier.notified('on-call')).toEqual([]);
    await notifier.wait(1 / 60);
    expect(notifier.notified('on-call')).toEqual(fired);
  });

  it.each([{ second: ['boss'] }, { second: ['team', 'boss'] }])(
    'does not wait for a muted channel if $second has another that was notified',
    async ({ second }) => {
      const notifier = await twoRoutes(second);
      await notifier.happens(sales, { transition: 'fired' });
      await notifier.wait(31 / 60);
      expect(notifier.all()).toEqual([[], fired, fired]);
    },
  );
});

it.each(['acknowledged', 'snoozed', 'recovered', 'flapping', 'excused'] as const)(
  'an alert that is %s in time is not escalated',
  async (transition) => {
    const notifier = await escalating();
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.wait(20 / 60);
    await notifier.happens(sales, { transition });
    await notifier.wait(4);
    expect(notifier.all()).toEqual([[...fired, `${transition} sales`], [], []]);
  },
);

it('an alert that ended without a message is not escalated', async () => {
  const notifier = await escalating();
  await notifier.happens(sales, { transition: 'fired' });
  await notifier.sweep();
  const alert = await notifier.alertOf(sales);
  if (alert) await notifier.alerts.save({ ...alert, state: 'normal', fired: null });
  await notifier.wait(1);
  expect(notifier.all()).toEqual([fired, [], []]);
});

it('an alert that is acknowledged after a channel has refused its escalation is not escalated again', async () => {
  const notifier = await escalating();
  await notifier.happens(sales, { transition: 'fired' });
  const retryAfterMs = 1_800_000;
  notifier.channel('on-call').refuseNext({ kind: 'refused', permanent: false, reason: 'busy', retryAfterMs });
  await notifier.wait(31 / 60);
  await notifier.happens(sales, { transition: 'acknowledged' });
  await notifier.wait(2);
  expect(notifier.notified('on-call')).toEqual([]);
});
