import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSystem, runsBetween } from '../../local/system.ts';
import { silentMeter } from '../../local/terminal.ts';
import type { AlertKey } from '../../shared/alerts/alert.ts';
import type { PendingNotification } from '../../shared/notifications/pending.ts';
import { giveAnswer } from '../../shared/responding/give-answer.ts';
import { buildRule, type Rule, ruleSetEntrySchema } from '../../shared/rules/rule.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { storesIn } from '../../shared/store/stores.ts';
import { usedLinksIn } from '../../shared/store/used-links.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { openEmulatedTable } from '../fixtures/dynamodb.ts';
import { noise } from '../fixtures/noise.ts';
import { steadySource } from './steady-source.ts';
import { type Kept, keptByKind, removeExpired } from './stored.ts';

/** Readings of days are kept for 420 days, so the table can only be flat after them. */
const START = Date.UTC(2027, 3, 1);
const YEAR = Date.UTC(2027, 11, 1);
const QUARTERS = [3, 6, 9, 12].map((month) => Date.UTC(2028, month, 1));

const counting = (id: string, overrides: Record<string, unknown>) =>
  ruleNamed(id, {
    filters: [{ attribute: 'event_name', operator: 'equal', value: id }],
    fire: { change: { above: '40%', below: '-40%' } },
    ...overrides,
  });

/** Each has new incidents all year. `versions` has a new segment every ten days. */
const SLOW: Rule[] = [
  counting('signups', { compare: { to: 'same_weekday' } }),
  counting('versions', { group_by: 'app_version' }),
  counting('orders', { every: 'monday at 08:00', window: 'week' }),
  counting('income', { every: 'month at 01:00', window: 'month' }),
  buildRule(
    ruleSetEntrySchema.parse({
      ...{ id: 'either', title: 'Either', app: 'demo', owner: 'shop', every: 'day at 01:00' },
      any_of: ['signups', 'versions'],
    }),
  ),
];

/** Runs twice a day, and evaluates twelve hours each time. */
const VIEWS = counting('views', { every: 'cron 0 1,13 * * *', window: 'hour', fire_after: '2 of 3' });

const clock = new ManualClock(START);
const table = await openEmulatedTable(clock);
afterAll(() => table.close());

const kept: Record<string, Kept>[] = [];
const logged: string[] = [];
/** Notifications in each quarter. */
const sent: number[] = [];

beforeAll(async () => {
  const log = (message: string, fields = {}) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const logger = { info: () => {}, warn: log, error: log };
  const stores = storesIn(table, logger);
  const used = usedLinksIn(table);
  const source = steadySource({ clock, count: figureOf, segments: versionsIn });
  const system = createSystem({
    stores,
    clock,
    sourceFor: () => source,
    channelFor: async () => ({ send: async () => ({ kind: 'sent' }) }),
    logger,
    meter: silentMeter,
  });

  const answer = async ({ alert: { ruleId, segment } }: PendingNotification, at: number) => {
    const key: AlertKey = { ruleId, segment };
    const link = { id: `link-${ruleId}-${segment}-${at}`, expiresAt: at + 14 * DAY_MS };
    const given = { key, answer: 'acknowledge', firedWindowEndAt: undefined, link } as const;
    await giveAnswer(
      given,
      { by: 'ada@example.com', reason: `Looking into it since ${at}`, how: 'link' },
      { ...stores, used, clock },
    );
  };
  const people = async (at: number) => {
    const match = { rule: 'signups' };
    const of = { by: 'ada@example.com', at, reason: 'A release' };
    await stores.silences.save({ id: `silence-${at}`, match, fromAt: at, untilAt: at + 6 * HOUR_MS, ...of });
    const test = { id: `test-${at}`, channels: ['team'], by: of.by, at, untilAt: at + 7 * DAY_MS };
    await stores.testNotifications.save({ ...test, takenAt: null, outcomes: [] });
    await system.sendTestNotifications();
    await stores.runs.takeCalls('demo', at, 5, 1000);
  };
  const run = async (rules: Rule[], from: number, through: number) => {
    let count = 0;
    for (const { cadence, at } of runsBetween(rules, from, through)) {
      clock.advanceTo(at);
      const notified = await system.tick(cadence, at);
      count += notified.length;
      for (const each of notified.filter(({ notification }) => notification.transition === 'fired'))
        await answer(each, at);
      if (cadence.startsWith('weekday')) await people(at);
      if (cadence.startsWith('day-1')) await removeExpired(table);
    }
    return count;
  };

  await system.rules.save({ ...ruleSetOf(...SLOW), version: 'slow' });
  await run(SLOW, START, YEAR);
  const rules = [...SLOW, VIEWS];
  await system.rules.save({ ...ruleSetOf(...rules), version: 'all' });
  let from = YEAR;
  for (const through of QUARTERS) {
    sent.push(await run(rules, from, through));
    await removeExpired(table);
    kept.push(await keptByKind(table));
    from = through;
  }
});

/** 200 events an hour with some noise, and incidents: a day in eleven, and some hours on every ninth day. */
function figureOf(
  eventName: string,
  { startAt, endAt }: { startAt: number; endAt: number },
  segment = '',
): number {
  const day = Math.floor(startAt / DAY_MS);
  const hours = (endAt - startAt) / HOUR_MS;
  const isLow =
    hours < 12 ? day % 9 === 0 && new Date(startAt).getUTCHours() % 8 < 4 : isLowWindow(day, hours);
  const level = 200 * hours * (1 + 0.02 * noise(startAt / HOUR_MS, `${eventName}/${segment}`));
  return Math.round(isLow ? level * 0.3 : level);
}

function isLowWindow(day: number, hours: number): boolean {
  return hours > 30 ? Math.floor(day / (hours / 24)) % 4 === 0 : day % 11 < 2;
}

/** A new version every ten days, which is used for forty. */
function versionsIn({ startAt }: { startAt: number }): string[] {
  const newest = Math.floor(startAt / (10 * DAY_MS));
  return [0, 1, 2, 3].map((age) => `1.${newest - age}.0`);
}

/** The most bytes of an item. Most kinds of items fit into one write unit. */
const BOUNDS: Record<string, number> = { ALERT: 4096 };

it.each([0, 1, 2, 3])('no item has grown beyond its bound: quarter %i', (quarter) => {
  const tooLarge = Object.entries(kept[quarter] ?? {}).filter(
    ([kind, { largestBytes }]) => largestBytes > (BOUNDS[kind] ?? 1024),
  );
  expect(tooLarge).toEqual([]);
});

it('has as many items of each kind at the end as a quarter before', () => {
  const [, , before = {}, last = {}] = kept;
  expect(Object.keys(last).toSorted()).toEqual(KINDS);
  const growing = Object.entries(last).filter(
    ([kind, { items }]) => items > (before[kind]?.items ?? 0) * 1.05 + 2,
  );
  expect(growing).toEqual([]);
});

it('notified incidents all year, without a warning', () => {
  expect(Math.min(...sent)).toBeGreaterThan(100);
  expect(logged).toEqual([]);
});

const KINDS = [
  ...['ALERT', 'APP', 'DELIVERIES', 'LAST-TICKS', 'LINK', 'MOVES', 'RULES', 'SILENCES', 'SNAPSHOTS', 'TESTS'],
  ...['TICK', 'LOCKS'],
];
