import { expect, test } from 'vitest';
import { silenceQuestion, usualSilence } from '../../../shared/alerts/usual-silence.ts';
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
