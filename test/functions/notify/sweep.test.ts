import { describe, expect, it } from 'vitest';
import { notifyPending } from '../../../functions/notify/notify.ts';
import type { Alert } from '../../../shared/alerting/alerts/alert.ts';
import type { AlertStore } from '../../../shared/alerting/alerts/alert-store.ts';
import type { Channel } from '../../../shared/alerting/messages/channel.ts';
import type { Message } from '../../../shared/alerting/messages/message.ts';
import type { Rule } from '../../../shared/alerting/rules/rule.ts';
import { UpstreamError } from '../../../shared/runtime/errors.ts';
import { HOUR, ruleNamed } from '../../fixtures/builders.ts';
import { anAnnouncer, channelsNamed } from '../announcer.ts';

type Announcer = Awaited<ReturnType<typeof anAnnouncer>>;

const MINUTE = 60_000;
const TEAM = { channels: channelsNamed('team'), default: ['team'] };
/** Of apps apart, so that none is taken for the cause of the others. */
const rulesNamed = (count: number): Rule[] =>
  Array.from({ length: count }, (_, i) => ruleNamed(`rule-${i}`, { app: `app-${i}` }));

/** An announcer to whom all these fire. */
async function firing(rules: Rule[], routes: Record<string, unknown>, replaced = {}): Promise<Announcer> {
  const announcer = await anAnnouncer(rules, routes, replaced);
  for (const rule of rules) await announcer.happens(rule, { transition: 'fired' });
  return announcer;
}

/** The announcer's store, whose saves wait for `before`, or fail as it does. */
function savingAfter(announcer: Announcer, before: (alert: Alert) => Promise<void> | void): AlertStore {
  const save = async (alert: Alert) => {
    await before(alert);
    return announcer.alerts.save(alert);
  };
  return { ...announcer.alerts, save };
}

function throttled(): never {
  throw new UpstreamError('DynamoDB refused: ThrottlingException', { retryable: true });
}

/** How often each rule was told of. */
function timesNotified(messages: Message[]): Record<string, number> {
  const ids = messages.flatMap(({ items }) => items.map(({ ruleId }) => ruleId));
  return Object.fromEntries([...Map.groupBy(ids, (id) => id)].map(([id, all]) => [id, all.length]));
}

const withPending = async ({ alerts }: Announcer) =>
  (await alerts.loadPending(Number.MAX_SAFE_INTEGER)).length;

describe('a write that is throttled', () => {
  it('while a message is taken leaves that alert for the next sweep, and keeps no other', async () => {
    const rules = rulesNamed(50);
    const announcer = await firing(rules, TEAM);
    let saves = 0;
    const alerts = savingAfter(announcer, () => void (++saves % 40 === 0 && throttled()));
    const sizes: number[] = [];
    for (let i = 0; i < 3; i++) sizes.push((await notifyPending({ ...announcer.deps, alerts })).sent.length);
    expect(sizes).toEqual([50, 0, 0]);
    expect(announcer.channel('team').sent.map(({ items }) => items.length)).toEqual([49, 1]);
    expect(Object.values(timesNotified(announcer.channel('team').sent))).toEqual(Array(50).fill(1));
    expect(announcer.logged).toContain('alerts could not be leased; the next sweep retries them');
    expect(announcer.counted).not.toContain('NotificationsStuck');
  });

  it('and stays so counts as stuck once the message is late', async () => {
    const announcer = await firing(rulesNamed(1), TEAM);
    const deps = { ...announcer.deps, alerts: savingAfter(announcer, throttled) };
    await notifyPending(deps);
    expect(announcer.counted).not.toContain('NotificationsStuck');
    announcer.clock.advanceTo(announcer.clock.now() + 16 * MINUTE);
    expect(await notifyPending(deps)).toEqual({ sent: [], failed: [] });
    expect(announcer.counted).toContain('NotificationsStuck');
  });

  it('after a message is made again, so that nobody hears twice', async () => {
    const announcer = await firing(rulesNamed(20), TEAM);
    let untilThrottled = 45;
    const isStrike = ({ pending }: Alert) => Object.keys(pending).length === 0;
    const alerts = savingAfter(announcer, (alert) => {
      if (isStrike(alert) && untilThrottled-- > 0) throttled();
    });
    await notifyPending({ ...announcer.deps, alerts });
    expect(await withPending(announcer)).toBe(0);
    await announcer.sweep(1);
    expect(announcer.notified('team')).toHaveLength(1);
  });

  it('for good after a message keeps none of the others from being struck off, and is logged', async () => {
    const announcer = await firing(rulesNamed(20), TEAM);
    const alerts = savingAfter(announcer, ({ ruleId, pending }) => {
      if (ruleId === 'rule-7' && Object.keys(pending).length === 0) throttled();
    });
    await notifyPending({ ...announcer.deps, alerts });
    expect(await withPending(announcer)).toBe(1);
    expect(announcer.logged).toContain(
      'alerts could not be saved after their message was sent; it may be sent again',
    );
  });
});

describe('a sweep', () => {
  it('that runs out of time sends what it took; the next one sends the rest, and nothing twice', async () => {
    const announcer = await firing(rulesNamed(300), TEAM);
    const alerts = savingAfter(announcer, () => announcer.clock.sleep(100));
    const deps = { ...announcer.deps, alerts };
    const beganAt = announcer.clock.now();
    const first = await notifyPending(deps);
    expect(first.sent.length).toBeGreaterThan(0);
    expect(first.sent.length).toBeLessThan(300);
    expect(announcer.clock.now() - beganAt).toBeLessThan(60_000);
    for (let i = 0; i < 5; i++) await notifyPending(deps);
    expect(Object.values(timesNotified(announcer.channel('team').sent))).toEqual(Array(300).fill(1));
  });

  it('leaves what is owed to another that is at it, so that nobody gets one message in two', async () => {
    const announcer = await firing(rulesNamed(100), TEAM);
    let saves = 0;
    const alerts = savingAfter(announcer, async () => {
      for (let wait = saves++ % 5; wait > 0; wait--) await new Promise((resolve) => setImmediate(resolve));
    });
    await Promise.all(Array.from({ length: 3 }, () => notifyPending({ ...announcer.deps, alerts })));
    expect(announcer.channel('team').sent.map(({ items }) => items.length)).toEqual([100]);
  });

  it('that died blocks the next ones for little more than a minute', async () => {
    const announcer = await firing(rulesNamed(1), TEAM);
    const dying = savingAfter(announcer, () => new Promise(() => {}));
    void notifyPending({ ...announcer.deps, alerts: dying });
    await announcer.sweep(1 / 60);
    expect(announcer.notified('team')).toEqual([]);
    await announcer.sweep(1 / 60);
    expect(announcer.notified('team')).toEqual(['fired rule-0']);
  });

  it('sends what came due while it sent', async () => {
    const [first, second] = rulesNamed(2);
    if (!first || !second) throw new RangeError('there are two rules');
    const notified: string[] = [];
    const slow: Channel = {
      send: async ({ items }) => {
        notified.push(...items.map(({ ruleId }) => ruleId));
        if (notified.length > 1) return { kind: 'sent' };
        await announcer.happens(second, { transition: 'fired' });
        expect(await notifyPending(announcer.deps)).toEqual({ sent: [], failed: [] });
        return { kind: 'sent' };
      },
    };
    const announcer = await anAnnouncer([first, second], TEAM, { channels: { team: slow } });
    await announcer.happens(first, { transition: 'fired' });
    await announcer.sweep();
    expect(notified).toEqual(['rule-0', 'rule-1']);
  });
});

/** The announcer's store, and how often it was asked for what is owed. */
function countingReads({ alerts }: Announcer) {
  const reads = { count: 0 };
  const loadPending: AlertStore['loadPending'] = async (now) => {
    reads.count++;
    return alerts.loadPending(now);
  };
  return { reads, alerts: { ...alerts, loadPending } };
}

describe('the index of what is owed', () => {
  it('is read once while nothing is due, and a second time after something was sent', async () => {
    const announcer = await firing(rulesNamed(1), TEAM);
    const { reads, alerts } = countingReads(announcer);
    await notifyPending({ ...announcer.deps, alerts });
    expect(reads.count).toBe(2);
    await notifyPending({ ...announcer.deps, alerts });
    expect(reads.count).toBe(3);
  });

  it.each([
    ['29.9 seconds, and a second time', 29_900, 2],
    ['30 seconds, and not again: no time is left', 30_000, 1],
  ])('is read before a channel that takes %s', async (_, takes, count) => {
    const slow: Channel = {
      send: async () => {
        await announcer.clock.sleep(takes);
        return { kind: 'sent' };
      },
    };
    const announcer = await firing(rulesNamed(1), TEAM, { channels: { team: slow } });
    const { reads, alerts } = countingReads(announcer);
    await notifyPending({ ...announcer.deps, alerts });
    expect(reads.count).toBe(count);
  });
});

describe('a channel that takes so many items at once', () => {
  const sent: Message[] = [];
  const pager: Channel = {
    takes: 20,
    send: async (message) => {
      sent.push(message);
      return { kind: 'sent' };
    },
  };

  it('is sent no more of a sweep, the gravest first, with links for each, and nothing else is written', async () => {
    sent.length = 0;
    const rules = rulesNamed(100).map((rule, i): Rule => (i < 90 ? rule : { ...rule, severity: 'critical' }));
    const linksFor = async () => ({ open: 'https://watch.example.com/', picture: null, answers: [] });
    const links = { overviewUrl: 'https://watch.example.com/', linksFor };
    const byOwner = { ...TEAM, default: { channels: ['team'], group_by: ['severity'] } };
    const announcer = await firing(rules, byOwner, { channels: { team: pager }, links });
    let saves = 0;
    const alerts = savingAfter(announcer, () => void saves++);
    for (let i = 0; i < 5; i++) await notifyPending({ ...announcer.deps, alerts });
    expect(sent.map(({ items }) => items.length)).toEqual([10, 10, 20, 20, 20, 20]);
    expect(sent[0]?.items.every(({ severity }) => severity === 'critical')).toBe(true);
    expect(sent.flatMap(({ items }) => items).every((item) => item.links !== null)).toBe(true);
    expect(saves).toBe(200);
    expect(await withPending(announcer)).toBe(0);
  });

  it('is sent the rest while the alerts that fill its room cannot be saved', async () => {
    sent.length = 0;
    const rules = rulesNamed(30).map((rule, i): Rule => (i < 25 ? { ...rule, severity: 'critical' } : rule));
    const refused = new Set(rules.slice(0, 25).map(({ id }) => id));
    const announcer = await firing(rules, TEAM, { channels: { team: pager } });
    const alerts = savingAfter(announcer, ({ ruleId }) => {
      if (refused.has(ruleId)) throw new UpstreamError('the item is too large', { retryable: false });
    });
    await notifyPending({ ...announcer.deps, alerts });
    expect(Object.keys(timesNotified(sent))).toEqual(rules.slice(25).map(({ id }) => id));
    expect(announcer.logged).toContain('alerts could not be leased; the next sweep retries them');
  });

  it('begins no message after half a minute of failed leases', async () => {
    sent.length = 0;
    const announcer = await firing(rulesNamed(2000), TEAM, { channels: { team: pager } });
    let lastSaveAt = 0;
    const alerts = savingAfter(announcer, async () => {
      await announcer.clock.sleep(100);
      lastSaveAt = announcer.clock.now();
      throw new UpstreamError('the item is too large', { retryable: false });
    });
    const beganAt = announcer.clock.now();
    await notifyPending({ ...announcer.deps, alerts });
    expect(lastSaveAt - beganAt).toBeLessThan(33_000);
  });

  it('hears of the end of an incident together with its beginning', async () => {
    sent.length = 0;
    let isDown = true;
    const answering: Channel = {
      takes: 20,
      send: async (message) =>
        isDown ? { kind: 'refused', permanent: false, reason: '503' } : pager.send(message),
    };
    const rules = rulesNamed(20);
    const announcer = await firing(rules, TEAM, { channels: { team: answering } });
    await announcer.sweep();
    isDown = false;
    announcer.clock.advanceTo(announcer.clock.now() + 5 * MINUTE);
    for (const last of rules.slice(-1)) await announcer.happens(last, { transition: 'recovered' });
    for (let i = 0; i < 2; i++) await announcer.sweep(0.1);
    expect(sent.map(({ items }) => items.length)).toEqual([19, 2]);
    expect(sent[1]?.items.map(({ transition }) => transition)).toEqual(['fired', 'recovered']);
  });
});

describe('a channel that asks to wait', () => {
  it.each([365 * 24 * HOUR, Infinity])('%d ms is asked again after an hour', async (retryAfterMs) => {
    const announcer = await firing(rulesNamed(1), TEAM);
    announcer
      .channel('team')
      .refuseNext({ kind: 'refused', permanent: false, reason: 'slow down', retryAfterMs });
    await announcer.sweep();
    await announcer.sweep(0.9);
    expect(announcer.notified('team')).toEqual([]);
    await announcer.sweep(0.1);
    expect(announcer.notified('team')).toHaveLength(1);
  });

  it('is not stuck at the first attempt, however late that is', async () => {
    const announcer = await firing(rulesNamed(1), TEAM);
    announcer.channel('team').refuseNext({ kind: 'refused', permanent: false, reason: 'slow down' });
    await announcer.sweep(2);
    expect(announcer.counted).not.toContain('NotificationsStuck');
  });

  it('is stuck at the second attempt where the message is late by then', async () => {
    const announcer = await firing(rulesNamed(1), TEAM);
    const refusal = { kind: 'refused', permanent: false, reason: 'slow down', retryAfterMs: HOUR } as const;
    announcer.channel('team').refuseNext(refusal, refusal);
    await announcer.sweep();
    expect(announcer.counted).not.toContain('NotificationsStuck');
    await announcer.sweep(1);
    expect(announcer.counted).toContain('NotificationsStuck');
  });
});
