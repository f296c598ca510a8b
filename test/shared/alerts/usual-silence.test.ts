import { expect, test } from 'vitest';
import { completeThrough, silenceQuestion, usualSilence } from '../../../shared/alerts/usual-silence.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';

const hours = (...spans: [events: number, hours: number][]) =>
  spans.flatMap(([events, count]) => Array<number>(count).fill(events));

const NIGHT: [number, number][] = [
  [10, 14],
  [0, 10],
];
const days = (count: number) => Array.from({ length: count }, () => NIGHT).flat();
/** Five days with nights, and a weekend without events. */
const WEEK: [number, number][] = [...days(4), [10, 14], [0, 58]];

test.each([
  ['an app that is never silent', hours([10, 28 * 24]), 0],
  ['nights', hours(...days(28)), 10],
  ['nights and one outage of three days', hours(...days(14), [0, 72], ...days(10)), 10],
  ['weekends', hours(...WEEK, ...WEEK, ...WEEK, ...WEEK), 58],
  ['weekends, and an outage of five days', hours(...WEEK, ...WEEK, ...WEEK, [0, 120], ...WEEK), 58],
  ['two weekends of a young app', hours([0, 300], ...WEEK, ...WEEK, [10, 5]), 58],
  ['no data', hours([0, 28 * 24]), 0],
])('%s', (_, events, expected) => {
  expect(usualSilence(events)).toBe(expected * HOUR_MS);
});

test('silences that were reported count, as a file that comes once a day leaves no gap', () => {
  const reported = [0, 1, 2].map((day) => ({
    startAt: day * 24 * HOUR_MS,
    endAt: (day * 24 + 26) * HOUR_MS,
  }));
  expect(usualSilence(hours([10, 28 * 24]), reported)).toBe(26 * HOUR_MS);
});

test('the question is about the 28 days before the newest data', () => {
  const newestDataAt = Date.UTC(2026, 2, 3, 7, 30);
  const { windows } = silenceQuestion('shop', newestDataAt);
  expect(windows).toHaveLength(28 * 24);
  expect(windows.at(-1)?.endAt).toBe(Date.UTC(2026, 2, 3, 7));
});

const DAY = Date.UTC(2026, 2, 3);
/** 40 events between 7:00 and 23:00, up to 22:00 of the last day. */
const small = hours(
  ...Array.from({ length: 27 }, (): [number, number][] => [
    [0, 7],
    [2.5, 16],
    [0, 1],
  ]).flat(),
  [0, 7],
  [2.5, 15],
);
const at = (hour: number) => DAY + hour * HOUR_MS;

test.each([
  ['the day of an app that is quiet since', small, { from: 0, to: 24, now: 25 }, 24],
  ['an hour in which the app is usually quiet', small, { from: 23, to: 24, now: 25 }, 24],
  ['an hour in which it is not', small, { from: 22, to: 23, now: 25 }, 22.5],
  ['a window that is not over', small, { from: 0, to: 24, now: 23.5 }, 22.5],
  ['the day before the app is silent for too long', small, { from: 0, to: 24, now: 36 }, 22.5],
  ['the day of a large app', small.map((count) => 100 * count), { from: 0, to: 24, now: 25 }, 22.5],
  [
    'the day of an app with too few events to miss any',
    small.map((count) => count / 40),
    { from: 22, to: 24, now: 25 },
    22.5,
  ],
  ['the day of an app of ten days', small.slice(-240), { from: 0, to: 24, now: 25 }, 22.5],
])('%s', (_, events, { from, to, now }, complete) => {
  const times = { newestDataAt: at(22.5), now: at(now) };
  expect(completeThrough([{ startAt: at(from), endAt: at(to) }], events, times)).toBe(at(complete));
});
