import { describe, expect, it } from 'vitest';
import { baselineWindows, type Memory, NO_MEMORY } from '../../../shared/evaluation/baseline.ts';
import { History } from '../../../shared/readings/history.ts';
import { indexed, smallestKept } from '../../../shared/readings/indexed-snapshot.ts';
import type { ReadingRow, Snapshot } from '../../../shared/readings/reading.ts';
import { metricOf } from '../../../shared/rules/watched-metric.ts';
import { CalendarWindows } from '../../../shared/time/calendar-windows.ts';
import type { Window } from '../../../shared/time/window.ts';
import { dayAt, ruleNamed } from '../../fixtures/builders.ts';

const COUNT = metricOf({ metric: 'event_count' });
const MEAN = metricOf({ metric: 'rage_gestures_per_session' });
const DAY_1 = dayAt(1);

const snapshotOf = (rows: ReadingRow[], overrides: Partial<Snapshot> = {}): Snapshot => ({
  family: 'family',
  window: DAY_1,
  readAt: DAY_1.endAt,
  keys: ['event_count'],
  rows,
  ...overrides,
});

describe('the reading of a series in a snapshot', () => {
  const named = new History([
    snapshotOf([{ eventName: 'view', current: { event_count: 7 }, previous: { event_count: 5 } }], {
      eventNames: ['view', 'buy'],
    }),
  ]);

  it.each([
    ['its value', 'view', 'current', 7],
    ['the previous value', 'view', 'previous', 5],
    ['zero if it was queried and has no row', 'buy', 'current', 0],
    ['undefined if it was not queried', 'share', 'current', undefined],
  ] as const)('is %s', (_name, eventName, period, value) => {
    expect(named.reading(DAY_1, { eventName }, COUNT, period)?.value).toBe(value);
  });

  it('is undefined for a segment that may be folded, and zero if none was folded', () => {
    const france = { segment: 'France', current: { event_count: 7 }, previous: { event_count: 5 } };
    const rest = { segment: 'others', isRest: true as const, current: { event_count: 90 } };
    const folded = new History([snapshotOf([france, rest])]);
    const whole = new History([snapshotOf([france])]);
    expect(folded.reading(DAY_1, { segment: 'Malta' }, COUNT)).toBeUndefined();
    expect(whole.reading(DAY_1, { segment: 'Malta' }, COUNT)).toEqual({ value: 0, weight: null });
    expect(folded.reading(DAY_1, { segment: 'France' }, COUNT)?.value).toBe(7);
    expect([...folded.segments(DAY_1, undefined, COUNT).keys()]).toEqual(['France']);
  });

  it('is at most the smallest segment of its own event that is not folded', () => {
    const row = (eventName: string, segment: string, event_count: number) => ({
      ...{ eventName, segment, current: { event_count } },
    });
    const snapshot = indexed(snapshotOf([row('view', 'France', 7), row('buy', 'Malta', 2)]));
    expect(smallestKept(snapshot, 'view', 'event_count')).toBe(7);
  });

  it('is undefined only for the period in which a segment may be folded', () => {
    const malta = { segment: 'Malta', previous: { event_count: 101 } };
    const rest = { segment: 'others', isRest: true as const, current: { event_count: 90 } };
    const history = new History([snapshotOf([malta, rest])]);
    expect(history.reading(DAY_1, { segment: 'Malta' }, COUNT)).toBeUndefined();
    expect(history.reading(DAY_1, { segment: 'Malta' }, COUNT, 'previous')?.value).toBe(101);
    expect(history.reading(DAY_1, { segment: 'Cyprus' }, COUNT, 'previous')?.value).toBe(0);
  });

  it('has no value for a mean over 0 sessions', () => {
    const keys = ['avg_session_rage_gesture_count', 'session_count'];
    const row = (mean: number, weight: number) => ({
      current: { [keys[0] ?? '']: mean, session_count: weight },
    });
    const before = snapshotOf([row(0.4, 30)], { keys, window: dayAt(0) });
    const reading = (mean: number, weight: number) =>
      new History([before, snapshotOf([row(mean, weight)], { keys })]).reading(DAY_1, {}, MEAN);
    expect(reading(0.5, 40)).toEqual({ value: 0.5, weight: 40 });
    expect(reading(0, 0)).toEqual({ value: null, weight: 0 });
  });
});

describe('the baseline of a same-weekday rule', () => {
  const rule = ruleNamed('sales', { compare: { to: 'same_weekday' } });
  const calendarWindows = new CalendarWindows({ grain: 'day', zone: 'UTC' });
  const baselineWindow = (window: Window, memory: Memory) =>
    baselineWindows(rule, window, memory, calendarWindows)[0];

  it('is a week earlier if that day was part of an incident', () => {
    const incidents = [{ startAt: dayAt(12).startAt, endAt: dayAt(14).endAt }];
    expect(baselineWindow(dayAt(20), { ...NO_MEMORY, incidents })).toEqual(dayAt(6));
    expect(baselineWindow(dayAt(22), { ...NO_MEMORY, incidents })).toEqual(dayAt(15));
  });

  it('is never older than an accepted level: first the day before, then the weekday', () => {
    const memory = { ...NO_MEMORY, levelSinceAt: dayAt(18).startAt };
    expect(baselineWindow(dayAt(20), memory)).toEqual(dayAt(19));
    expect(baselineWindow(dayAt(25), memory)).toEqual(dayAt(18));
    expect(baselineWindow(dayAt(18), memory)).toBeUndefined();
  });

  it('is frozen before the first breach while it lasts', () => {
    const breach = {
      windowEndAt: dayAt(10).endAt,
      firstEndAt: dayAt(10).endAt,
      baseline: { value: 9, weight: null, window: dayAt(3), origin: { of: 'window' as const } },
    };
    const fired = { ...breach, direction: 'down' as const, gap: null };
    expect(baselineWindow(dayAt(20), { ...NO_MEMORY, fired })).toEqual(dayAt(6));
    expect(baselineWindow(dayAt(20), { ...NO_MEMORY, suspected: fired })).toEqual(dayAt(6));
  });
});

describe('a series that begins', () => {
  const figures = (...amounts: (number | undefined)[]) => amounts;
  /** One snapshot per day from day 1. `undefined` means no row. */
  const historyOf = (amounts: (number | undefined)[], isAlone = false) =>
    new History(
      amounts.map((amount, day) => ({
        ...snapshotOf(amount === undefined ? [] : [{ current: { event_count: amount } }]),
        window: dayAt(day + 1),
        readAt: dayAt(day + 1).endAt,
        ...(isAlone && { isAlone: true as const }),
      })),
    );
  const valuesOf = (history: History, days: number[], series = {}) =>
    days.map((day) => history.reading(dayAt(day), series, COUNT)?.value);

  it.each([
    [
      'is unknown before and in its first window, which may be partial',
      figures(undefined, undefined, 40, 90, 90),
      [undefined, undefined, undefined, 90, 90],
    ],
    [
      'is zero in later windows without a row',
      figures(undefined, 40, undefined, 90),
      [undefined, undefined, 0, 90],
    ],
    ['is zero if it was never seen', figures(undefined, undefined), [0, 0]],
  ])('%s', (_name, amounts, expected) => {
    const days = amounts.map((_, day) => day + 1);
    expect(valuesOf(historyOf(amounts), days)).toEqual(expected);
    expect(valuesOf(historyOf(amounts, true), days)).toEqual(expected);
  });

  it('is known from the first window read if the period before had a value', () => {
    const rows = [{ current: { event_count: 40 }, previous: { event_count: 30 } }];
    const history = new History([snapshotOf(rows)]);
    expect(history.reading(DAY_1, {}, COUNT)?.value).toBe(40);
    expect(history.reading(DAY_1, {}, COUNT, 'previous')?.value).toBe(30);
  });

  it('is unknown as a previous period before it is known', () => {
    const history = historyOf([undefined, 40, 90]);
    expect(history.reading(dayAt(3), {}, COUNT, 'previous')).toBeUndefined();
    expect(history.reading(dayAt(2), {}, COUNT, 'previous')).toBeUndefined();
  });

  it('begins where its alert remembers, regardless of the loaded snapshots', () => {
    const history = historyOf([undefined, undefined, 90]);
    history.remember({}, COUNT, dayAt(1).startAt);
    expect(valuesOf(history, [1, 2, 3])).toEqual([0, 0, 90]);
  });

  it('is unknown for its first week if it counts new users', () => {
    const users = metricOf({ metric: 'new_users' });
    const history = new History(
      Array.from({ length: 20 }, (_, i) => ({
        ...snapshotOf(i === 0 ? [] : [{ current: { session_new_users_count: 30 } }]),
        window: dayAt(i),
        readAt: dayAt(i).endAt,
        keys: ['session_new_users_count'],
      })),
    );
    const known = Array.from({ length: 20 }, (_, i) => history.reading(dayAt(i), {}, users)?.value);
    expect(known).toEqual([...Array(9).fill(undefined), ...Array(11).fill(30)]);
  });

  it('is a new segment if its event is older', () => {
    const rows = (day: number) => [
      { segment: 'old', current: { event_count: 50 } },
      ...(day >= 3 ? [{ segment: 'new', current: { event_count: 20 } }] : []),
    ];
    const history = new History(
      [1, 2, 3, 4].map((day) => ({ ...snapshotOf(rows(day)), window: dayAt(day), readAt: dayAt(day).endAt })),
    );
    expect(history.newSince({ segment: 'new' }, COUNT)).toBe(dayAt(3).endAt);
    expect(history.newSince({ segment: 'old' }, COUNT)).toBeUndefined();
    expect(valuesOf(history, [1, 2, 3, 4], { segment: 'new' })).toEqual([
      undefined,
      undefined,
      undefined,
      20,
    ]);
    const reported = { segment: 'new', zeroBefore: 'segment' as const };
    expect(valuesOf(history, [2, 3, 4], reported)).toEqual([0, 20, 20]);
  });
});
