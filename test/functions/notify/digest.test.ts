import { expect, test } from 'vitest';
import { isWaiting, waitAsAsked } from '../../../functions/notify/delivery-results.ts';
import { sendDigest } from '../../../functions/notify/digest.ts';
import { syncRules } from '../../../functions/sync-rules/sync-rules.ts';
import type { Channel } from '../../../shared/messages/channel.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/units/durations.ts';
import { MONDAY, ruleNamed } from '../../fixtures/builders.ts';
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

const NOON = MONDAY + 12 * HOUR_MS;

test('each channel gets the digest once, and the next one a day later', async () => {
  const { send, count, channel } = await due();
  for (const minute of [0, 1, 60]) await send(NOON + minute * MINUTE_MS);
  expect([count('team'), count('others')]).toEqual([1, 1]);
  expect(channel('team').sent[0]).toMatchObject({ items: [{ transition: 'digest', ruleId: 'digest:team' }] });
  await send(NOON + 24 * HOUR_MS - 1);
  expect(count('team')).toBe(1);
  await send(NOON + 24 * HOUR_MS);
  expect([count('team'), count('others')]).toEqual([2, 2]);
});

test('a channel that refuses the digest gets it after ten minutes, and the others not again', async () => {
  const tried: number[] = [];
  const { send, count, logged, clock, deps } = await due({
    async send() {
      tried.push((clock.now() - NOON) / MINUTE_MS);
      return tried.length === 1 ? { kind: 'refused', reason: 'down', permanent: false } : { kind: 'sent' };
    },
  });
  for (const minute of [0, 1, 9, 10, 11]) await send(NOON + minute * MINUTE_MS);
  expect(tried).toEqual([0, 10]);
  expect(count('team')).toBe(1);
  expect(logged).toEqual(['a digest could not be sent; it is tried again']);
  const about = {
    route: 'digest',
    alerts: 0,
    keys: [],
    title: expect.stringMatching(/^Digest: No rule is known/),
  };
  const log = await deps.deliveries.loadLast(10);
  expect(log.toSorted((a, b) => a.channel.localeCompare(b.channel) || a.at - b.at)).toEqual([
    { ...about, channel: 'others', at: NOON, outcome: { kind: 'failed', reason: 'down', permanent: false } },
    { ...about, channel: 'others', at: NOON + 10 * MINUTE_MS, outcome: { kind: 'sent' } },
    { ...about, channel: 'team', at: NOON, outcome: { kind: 'sent' } },
  ]);
});

test('a channel that asks an alert to wait gets the digest after that, and one that asks the digest keeps alerts waiting', async () => {
  const { send, count, runs, clock, deps } = await due();
  const refusal = {
    kind: 'refused',
    reason: 'busy',
    permanent: false,
    retryAfterMs: 25 * MINUTE_MS,
  } as const;
  await waitAsAsked('team', refusal, deps);
  const others: Channel = { send: async () => refusal };
  const channelFor: typeof deps.channelFor = async (config, name) =>
    name === 'others' ? others : deps.channelFor(config, name);
  await send(NOON, { channelFor });
  expect([count('team'), await isWaiting('others', deps)]).toEqual([0, true]);
  for (const minute of [10, 20, 30]) await send(NOON + minute * MINUTE_MS);
  expect([count('team'), count('others')]).toEqual([1, 1]);
  expect(await runs.takeLock('wait#team', clock.now(), 0)).toBe(true);
});

test.each([
  [1, 30],
  [30, 1],
])('a channel that asks to wait for %i and for %i minutes waits for the longer time', async (...minutes) => {
  const { clock, deps } = await due();
  for (const each of minutes) {
    const refusal = {
      kind: 'refused',
      reason: 'busy',
      permanent: false,
      retryAfterMs: each * MINUTE_MS,
    } as const;
    await waitAsAsked('team', refusal, deps);
  }
  const waits: boolean[] = [];
  for (const minute of [29, 30]) {
    clock.advanceTo(NOON + minute * MINUTE_MS);
    waits.push(await isWaiting('team', deps));
  }
  expect(waits).toEqual([true, false]);
});

test('a digest with a new cadence does not wait for the next one of the old cadence', async () => {
  const { send, count, rules } = await due(undefined, {
    ...ROUTES,
    digest: { every: 'month at 12:00', channels: ['team'] },
  });
  const first = Date.parse('2026-04-01T12:00Z');
  await send(first);
  const [deployed] = [await rules.loadCurrent()];
  if (!deployed) throw new Error('no rules');
  const digest = { every: 'day at 12:00', zone: 'UTC', channels: ['team'] };
  await rules.save(
    { ...deployed, version: 'daily', routes: { ...deployed.routes, digest } },
    { at: first + HOUR_MS },
  );
  await send(first + 2 * HOUR_MS);
  expect(count('team')).toBe(1);
  await send(first + 24 * HOUR_MS);
  expect(count('team')).toBe(2);
});

test.each([
  { name: 'other rules in the minute of the digest do not drop it', routes: {}, sent: 1 },
  {
    name: 'a new digest begins with its next time',
    routes: { digest: { every: 'day at 12:00', zone: 'UTC', channels: ['team'] } },
    sent: 0,
  },
])('$name', async ({ routes, sent }) => {
  const { send, count, rules, deps, clock } = await due();
  const deployed = await rules.loadCurrent();
  if (!deployed) throw new Error('no rules');
  clock.advanceTo(NOON + 20_000);
  await syncRules({ ...deployed, version: 'next', routes: { ...deployed.routes, ...routes } }, deps);
  clock.advanceTo(NOON + 30_000);
  await syncRules({ ...deployed, version: 'last', routes: { ...deployed.routes, ...routes } }, deps);
  await send(NOON + MINUTE_MS);
  expect(count('team')).toBe(sent);
});

test('of sweeps at the same time one sends the digest', async () => {
  const { send, count, runs, deps } = await due();
  const withAnother = async <T>(result: Promise<T>): Promise<T> => {
    await result;
    await sendDigest(deps);
    return result;
  };
  await send(NOON, {
    runs: {
      ...runs,
      takeLock: (...args) => withAnother(runs.takeLock(...args)),
      releaseLock: (...args) => withAnother(runs.releaseLock(...args)),
    },
  });
  expect([count('team'), count('others')]).toEqual([1, 1]);
});

test('a sweep that stops while it sends is followed by one that sends it', async () => {
  const { send, count, runs } = await due();
  // The process ends: nothing is given back, and no turn is kept.
  let taken = 0;
  const stopped: typeof runs = {
    ...runs,
    takeLock: (name, ...args) =>
      name === 'digest#team' && taken++ > 0
        ? Promise.reject(new Error('stopped'))
        : runs.takeLock(name, ...args),
  };
  await send(NOON, { runs: stopped });
  await send(NOON + 9 * MINUTE_MS);
  expect(count('team')).toBe(1);
  await send(NOON + 10 * MINUTE_MS);
  await send(NOON + 30 * MINUTE_MS);
  expect(count('team')).toBe(2);
});

test('a failed read is logged, and the digest is sent later', async () => {
  const { send, count, alerts, logged } = await due();
  await send(NOON, { alerts: { ...alerts, loadOfRule: () => Promise.reject(new Error('throttled')) } });
  expect([count('team'), logged]).toEqual([0, ['a digest failed; it is tried again']]);
  await send(NOON + 10 * MINUTE_MS);
  expect(count('team')).toBe(1);
});

test('without the key nothing is sent', async () => {
  const { digest: _, ...routes } = ROUTES;
  const { send, count } = await due(undefined, routes);
  await send();
  expect(count('team')).toBe(0);
});
