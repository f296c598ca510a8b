import { describe, expect, it } from 'vitest';
import { notifyPending } from '../../../functions/notify/notify.ts';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { AlertStore } from '../../../shared/alerts/alert-store.ts';
import type { Channel } from '../../../shared/messages/channel.ts';
import type { Message } from '../../../shared/messages/message.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { UpstreamError } from '../../../shared/runtime/errors.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

type Notifier = Awaited<ReturnType<typeof createNotifier>>;

const TEAM = { channels: channelsNamed('team'), default: ['team'] };
/** Each rule has its own app, so that they share no cause. */
const rulesNamed = (count: number): Rule[] =>
  Array.from({ length: count }, (_, i) => ruleNamed(`rule-${i}`, { app: `app-${i}` }));

/** A notifier with a fired alert for each rule. */
async function firing(rules: Rule[], routes: Record<string, unknown>, replaced = {}): Promise<Notifier> {
  const notifier = await createNotifier(rules, routes, replaced);
  for (const rule of rules) await notifier.happens(rule, { transition: 'fired' });
  return notifier;
}

/** The notifier's alert store; each save awaits `before` and fails if that fails. */
function savingAfter(notifier: Notifier, before: (alert: Alert) => Promise<void> | void): AlertStore {
  const save = async (alert: Alert) => {
    await before(alert);
    return notifier.alerts.save(alert);
  };
  return { ...notifier.alerts, save };
}

function throttled(): never {
  throw new UpstreamError('DynamoDB refused: ThrottlingException', { retryable: true });
}

/** The number of notifications per rule. */
function timesNotified(messages: Message[]): Record<string, number> {
  const ids = messages.flatMap(({ items }) => items.map(({ ruleId }) => ruleId));
  return Object.fromEntries([...Map.groupBy(ids, (id) => id)].map(([id, all]) => [id, all.length]));
}

const withPending = async ({ alerts }: Notifier) =>
  (await alerts.loadPending(Number.MAX_SAFE_INTEGER)).length;

describe('a throttled write', () => {
  it('of a lease leaves only that alert for the next sweep', async () => {
    const rules = rulesNamed(50);
    const notifier = await firing(rules, TEAM);
    let saves = 0;
    const alerts = savingAfter(notifier, () => void (++saves % 40 === 0 && throttled()));
    const sizes: number[] = [];
    for (let i = 0; i < 3; i++) sizes.push((await notifyPending({ ...notifier.deps, alerts })).sent.length);
    expect(sizes).toEqual([50, 0, 0]);
    expect(notifier.channel('team').sent.map(({ items }) => items.length)).toEqual([49, 1]);
    expect(Object.values(timesNotified(notifier.channel('team').sent))).toEqual(Array(50).fill(1));
    expect(notifier.logged).toContain('alerts could not be leased; the next sweep retries them');
    expect(notifier.counted).not.toContain('NotificationsStuck');
  });

  it('after a send is retried, so that no message is sent twice', async () => {
    const notifier = await firing(rulesNamed(20), TEAM);
    let untilThrottled = 45;
    const isRemoval = ({ pending }: Alert) => Object.keys(pending).length === 0;
    const alerts = savingAfter(notifier, (alert) => {
      if (isRemoval(alert) && untilThrottled-- > 0) throttled();
    });
    await notifyPending({ ...notifier.deps, alerts });
    expect(await withPending(notifier)).toBe(0);
    await notifier.sweep(1);
    expect(notifier.notified('team')).toHaveLength(1);
  });

  it('that never succeeds after a send is logged and does not affect other alerts', async () => {
    const notifier = await firing(rulesNamed(20), TEAM);
    const alerts = savingAfter(notifier, ({ ruleId, pending }) => {
      if (ruleId === 'rule-7' && Object.keys(pending).length === 0) throttled();
    });
    await notifyPending({ ...notifier.deps, alerts });
    expect(await withPending(notifier)).toBe(1);
    expect(notifier.logged).toContain(
      'alerts could not be saved after their message was sent; it may be sent again',
    );
  });
});

describe('a sweep', () => {
  it('that runs out of time leaves the rest to the next one and sends nothing twice', async () => {
    const notifier = await firing(rulesNamed(300), TEAM);
    const alerts = savingAfter(notifier, () => notifier.clock.sleep(100));
    const deps = { ...notifier.deps, alerts };
    const beganAt = notifier.clock.now();
    const first = await notifyPending(deps);
    expect(first.sent.length).toBeGreaterThan(0);
    expect(first.sent.length).toBeLessThan(300);
    expect(notifier.clock.now() - beganAt).toBeLessThan(60_000);
    for (let i = 0; i < 5; i++) await notifyPending(deps);
    expect(Object.values(timesNotified(notifier.channel('team').sent))).toEqual(Array(300).fill(1));
  });

  it('does not split a message with concurrent sweeps', async () => {
    const notifier = await firing(rulesNamed(100), TEAM);
    let saves = 0;
    const alerts = savingAfter(notifier, async () => {
      for (let wait = saves++ % 5; wait > 0; wait--) await new Promise((resolve) => setImmediate(resolve));
    });
    await Promise.all(Array.from({ length: 3 }, () => notifyPending({ ...notifier.deps, alerts })));
    expect(notifier.channel('team').sent.map(({ items }) => items.length)).toEqual([100]);
  });

  it('that died blocks the next ones for at most two minutes', async () => {
    const notifier = await firing(rulesNamed(1), TEAM);
    const dying = savingAfter(notifier, () => new Promise(() => {}));
    void notifyPending({ ...notifier.deps, alerts: dying });
    await notifier.sweep(1 / 60);
    expect(notifier.notified('team')).toEqual([]);
    await notifier.sweep(1 / 60);
    expect(notifier.notified('team')).toEqual(['fired rule-0']);
  });

  it('sends notifications that become due while it sends', async () => {
    const [first, second] = rulesNamed(2);
    if (!first || !second) throw new RangeError('there are two rules');
    const notified: string[] = [];
    const slow: Channel = {
      send: async ({ items }) => {
        notified.push(...items.map(({ ruleId }) => ruleId));
        if (notified.length > 1) return { kind: 'sent' };
        await notifier.happens(second, { transition: 'fired' });
        expect(await notifyPending(notifier.deps)).toEqual({ sent: [], failed: [] });
        return { kind: 'sent' };
      },
    };
    const notifier = await createNotifier([first, second], TEAM, { channels: { team: slow } });
    await notifier.happens(first, { transition: 'fired' });
    await notifier.sweep();
    expect(notified).toEqual(['rule-0', 'rule-1']);
  });
});

/** The notifier's alert store, and how often its pending notifications were read. */
function countingReads({ alerts }: Notifier) {
  const reads = { count: 0 };
  const loadPending: AlertStore['loadPending'] = async (now) => {
    reads.count++;
    return alerts.loadPending(now);
  };
  return { reads, alerts: { ...alerts, loadPending } };
}

describe('the index of pending notifications', () => {
  it('is read once if nothing is due, and again after a send', async () => {
    const notifier = await firing(rulesNamed(1), TEAM);
    const { reads, alerts } = countingReads(notifier);
    await notifyPending({ ...notifier.deps, alerts });
    expect(reads.count).toBe(2);
    await notifyPending({ ...notifier.deps, alerts });
    expect(reads.count).toBe(3);
  });

  it.each([
    ['again after a send of 29.9 seconds', 29_900, 2],
    ['only once with a send of 30 seconds', 30_000, 1],
  ])('is read %s', async (_, takes, count) => {
    const slow: Channel = {
      send: async () => {
        await notifier.clock.sleep(takes);
        return { kind: 'sent' };
      },
    };
    const notifier = await firing(rulesNamed(1), TEAM, { channels: { team: slow } });
    const { reads, alerts } = countingReads(notifier);
    await notifyPending({ ...notifier.deps, alerts });
    expect(reads.count).toBe(count);
  });
});

describe('a channel that asks to wait', () => {
  it.each([365 * 24 * HOUR_MS, Infinity])('for %d ms is retried after an hour', async (retryAfterMs) => {
    const notifier = await firing(rulesNamed(1), TEAM);
    notifier
      .channel('team')
      .refuseNext({ kind: 'refused', permanent: false, reason: 'slow down', retryAfterMs });
    await notifier.sweep();
    await notifier.sweep(0.9);
    expect(notifier.notified('team')).toEqual([]);
    await notifier.sweep(0.1);
    expect(notifier.notified('team')).toHaveLength(1);
  });

  it.each([
    ['at once if it refuses permanently', true, 1],
    ['at the third attempt if it refuses temporarily', false, 3],
  ])('is stuck %s, and other channels get their messages', async (_, permanent, attempts) => {
    const routes = { channels: channelsNamed('team', 'boss'), default: ['team', 'boss'] };
    const refusing: Channel = { send: async () => ({ kind: 'refused', reason: 'no', permanent }) };
    const notifier = await firing(rulesNamed(1), routes, { channels: { boss: refusing } });
    for (let i = 1; i <= attempts; i++) {
      expect(notifier.counted).not.toContain('NotificationsStuck');
      await notifier.sweep(1 / 12);
    }
    expect(notifier.counted).toContain('NotificationsStuck');
    expect(notifier.notified('team')).toEqual(['fired rule-0']);
  });

  it('is not stuck at the first attempt, even a late one', async () => {
    const notifier = await firing(rulesNamed(1), TEAM);
    notifier.channel('team').refuseNext({ kind: 'refused', permanent: false, reason: 'slow down' });
    await notifier.sweep(2);
    expect(notifier.counted).not.toContain('NotificationsStuck');
  });
});
