import { expect, test } from 'vitest';
import { sendDigest } from '../../../functions/notify/digest.ts';
import type { Channel } from '../../../shared/alerting/messages/channel.ts';
import { HOUR, MONDAY, ruleNamed } from '../../fixtures/builders.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

const ROUTES = {
  channels: channelsNamed('team', 'others'),
  default: ['team'],
  digest: { every: 'day at 12:00', channels: ['team', 'others'] },
};

/** A notifier at noon of Monday, when its digest is due, with an optional channel instead of `others`. */
async function due(others?: Channel, routes: Record<string, unknown> = ROUTES) {
  const notifier = await createNotifier([ruleNamed('sales')], routes, {
    channels: others ? { others } : {},
  });
  const { clock, deps, channel } = notifier;
  return {
    ...notifier,
    count: (name: string) => channel(name).sent.length,
    async send(at: number = clock.now(), replaced: Partial<typeof deps> = {}) {
      clock.advanceTo(at);
      await sendDigest({ ...deps, ...replaced });
    },
  };
}

const NOON = MONDAY + 12 * HOUR;
const MINUTE = 60_000;

test('each channel gets the digest once, and the next one a day later', async () => {
  const { send, count, channel } = await due();
  for (const minute of [0, 1, 60]) await send(NOON + minute * MINUTE);
  expect([count('team'), count('others')]).toEqual([1, 1]);
  expect(channel('team').sent[0]).toMatchObject({ items: [{ transition: 'digest', ruleId: 'digest:team' }] });
  await send(NOON + 24 * HOUR - 1);
  expect(count('team')).toBe(1);
  await send(NOON + 24 * HOUR);
  expect([count('team'), count('others')]).toEqual([2, 2]);
});

test('a channel that refuses the digest gets it with the next sweep, and the others not again', async () => {
  const answers = ['refused', 'sent'];
  let tries = 0;
  const { send, count, logged } = await due({
    async send() {
      tries += 1;
      return answers.shift() === 'refused'
        ? { kind: 'refused', reason: 'down', permanent: false }
        : { kind: 'sent' };
    },
  });
  for (const minute of [0, 1, 2]) await send(NOON + minute * MINUTE);
  expect([tries, count('team')]).toEqual([2, 1]);
  expect(logged).toEqual(['a digest could not be sent; it is tried again']);
});

test('a sweep that stops while it sends is followed by one that sends it', async () => {
  const { send, count, runs } = await due();
  // The process ends: nothing is given back, and no turn is kept.
  const stopped = { ...runs, giveBackTurn: () => Promise.reject(new Error('stopped')) };
  await send(NOON, { runs: stopped });
  await send(NOON + MINUTE);
  expect(count('team')).toBe(1);
  await send(NOON + 2 * MINUTE);
  await send(NOON + 4 * MINUTE);
  expect(count('team')).toBe(2);
});

test('a failed read is logged, and the digest is sent later', async () => {
  const { send, count, alerts, logged } = await due();
  await send(NOON, { alerts: { ...alerts, loadOfRule: () => Promise.reject(new Error('throttled')) } });
  expect([count('team'), logged]).toEqual([0, ['a digest failed; retrying in a minute']]);
  await send(NOON + MINUTE);
  expect(count('team')).toBe(1);
});

test('without the key nothing is sent', async () => {
  const { digest: _, ...routes } = ROUTES;
  const { send, count } = await due(undefined, routes);
  await send();
  expect(count('team')).toBe(0);
});
