import { describe, expect, test } from 'vitest';
import { findingOf, type KnownSpan, type LoggedAlert } from '../../bench/own-data/right-or-wrong.ts';
import { type Incident, scoreOf } from '../../bench/own-data/scoring.ts';
import type { SimulatedNotification } from '../../bench/simulate.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { INCIDENT_VERSION, ownDataCsv } from '../fixtures/own-data.ts';

/** The event rows by day in Berlin, oldest first, without the partial day of the export. */
function rowsByDay(csv: string): string[][] {
  const dayOf = (row: string) =>
    new Date(Date.parse(row.slice(0, 24)) + 2 * HOUR_MS).toISOString().slice(0, 10);
  const days = Map.groupBy(csv.trim().split('\n').slice(1), dayOf);
  return [...days.values()].slice(0, -1);
}

const failuresIn = (rows: string[]) =>
  rows.filter((row) => row.includes('Checkout failed') && row.includes(INCIDENT_VERSION));
const mean = (counts: number[]) => counts.reduce((sum, each) => sum + each, 0) / counts.length;

describe('generated data of another app', () => {
  test('have 2,000 events per working day and a three-day incident with more failed checkouts', () => {
    const ending = { seed: 4, days: 14 };
    const hit = rowsByDay(ownDataCsv({ ...ending, incident: true }));
    const quiet = rowsByDay(ownDataCsv({ ...ending, incident: false }));
    expect(quiet).toHaveLength(14);
    const isWeekend = (rows: string[]) =>
      [0, 6].includes(new Date(rows[rows.length >> 1]?.slice(0, 24) ?? '').getUTCDay());
    const working = quiet.filter((rows) => !isWeekend(rows));
    expect(mean(working.map(({ length }) => length))).toBeCloseTo(2000, -2);
    expect(mean(working.map((rows) => failuresIn(rows).length))).toBeCloseTo(36, -1);

    const rise = hit.map((rows, i) => failuresIn(rows).length / failuresIn(quiet[i] ?? []).length);
    expect(rise.slice(0, -3)).toEqual(Array(11).fill(1));
    expect(Math.min(...rise.slice(-3))).toBeGreaterThan(2);
    const others = (rows: string[]) => rows.filter((row) => !failuresIn([row]).length);
    expect(hit.map(others)).toEqual(quiet.map(others));
  });
});

describe('the score of a notification', () => {
  const incident: Incident = {
    from: 10 * DAY_MS,
    expected: { rule: 'failed', segment: '5.2.0' },
    alsoIn: [{ rule: 'share', segment: null }],
  };
  const notificationOf = (
    over: Partial<SimulatedNotification> & { endsAt?: number },
  ): SimulatedNotification => ({
    ...{ rule: 'failed', segment: '5.2.0', transition: 'fired', route: 'default' },
    ...{ current: 127, baseline: 36, changePct: 252 },
    windowEnd: new Date(over.endsAt ?? 11 * DAY_MS).toISOString(),
    ...over,
  });

  test.each([
    ['of the segment, during the incident', notificationOf({}), true, 0],
    ['before the incident', notificationOf({ endsAt: 10 * DAY_MS }), false, 1],
    ['of a fall', notificationOf({ changePct: -50 }), false, 1],
    ['of another segment', notificationOf({ segment: '5.1.0' }), false, 1],
    ['of a rule that can also see the incident', notificationOf({ rule: 'share', segment: null }), false, 0],
    [
      'about an app that stopped',
      notificationOf({ rule: 'app:shop', segment: null, transition: 'stopped' }),
      false,
      1,
    ],
    ['of flapping', notificationOf({ segment: '5.1.0', transition: 'flapping' }), false, 1],
    ['of an end', notificationOf({ segment: '5.1.0', transition: 'recovered' }), false, 0],
  ])('%s', (_, notification, isFound, falseAlerts) => {
    expect(scoreOf([notification], incident)).toMatchObject({
      isFound,
      falseAlerts: Array(falseAlerts).fill({}),
    });
  });

  test('is false without an incident', () => {
    expect(scoreOf([notificationOf({})], undefined)).toEqual({
      isFound: false,
      falseAlerts: [notificationOf({})],
    });
  });
});

describe('an alert on a real log', () => {
  /** 28 days without a holiday. The fifth has the value 0. */
  const start = Date.UTC(2014, 2, 3);
  const rows = Array.from({ length: 28 }, (_, i) => ({ at: start + i * DAY_MS, value: i === 4 ? 0 : 100 }));
  const cut = { startAt: start, endAt: start + 28 * DAY_MS, rows };
  const spans: KnownSpan[] = [
    { startAt: start + 9 * DAY_MS, endAt: start + 10 * DAY_MS, what: 'outage', direction: 'fall' },
  ];
  const onDay = (day: number, baseline: number | null, current: number | null): LoggedAlert => ({
    ...{ by: 'evaluate', transition: current === null ? 'stopped' : 'fired', baseline, current },
    window: { startAt: start + day * DAY_MS, endAt: start + (day + 1) * DAY_MS },
  });

  test.each([
    ['compared with a 0 before the log starts', onDay(2, 0, 100), 'wrong', 'before the start'],
    ['about a stop before the log starts', onDay(-2, null, null), 'wrong', 'before the start'],
    ['compared with a recorded 0', onDay(11, 0, 100), 'unlabelled', ''],
    ['in a known span', onDay(9, 100, 5), 'right', 'outage'],
    ['in a known span, in the other direction', onDay(9, 100, 300), 'unlabelled', ''],
    ['about a stop in a known fall', onDay(9, null, null), 'right', 'outage'],
    ['a week after a known span', onDay(16, 5, 100), 'wrong', 'echo: outage'],
    ['on unlabelled days', onDay(20, 100, 5), 'unlabelled', ''],
  ])('%s', (_, alert, verdict, why) => {
    expect(findingOf(alert, { spans, isComplete: false }, cut)).toMatchObject({ verdict, why });
  });

  test('is wrong outside complete labels, and right on a public holiday', () => {
    const knowledge = { spans, isComplete: true };
    expect(findingOf(onDay(20, 100, 5), knowledge, cut)).toMatchObject({ verdict: 'wrong', why: 'no label' });
    const july4 = Date.UTC(2014, 6, 4);
    const inJuly = { startAt: july4 - 20 * DAY_MS, endAt: july4 + 2 * DAY_MS, rows };
    const alert = { ...onDay(0, 100, 5), window: { startAt: july4, endAt: july4 + DAY_MS } };
    expect(findingOf(alert, knowledge, inJuly)).toMatchObject({ verdict: 'right', why: 'holiday' });
  });
});
