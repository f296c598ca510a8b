import { DAY_MS } from '../../shared/units/durations.ts';

/** Federal holidays on the nth weekday of a month; `nth` -1 is the last one. Months start at 0. */
const FLOATING = [
  { month: 0, weekday: 1, nth: 3 },
  { month: 1, weekday: 1, nth: 3 },
  { month: 4, weekday: 1, nth: -1 },
  { month: 8, weekday: 1, nth: 1 },
  { month: 9, weekday: 1, nth: 2 },
  { month: 10, weekday: 4, nth: 4 },
];

/** Federal holidays on a fixed date. */
const FIXED: [month: number, day: number][] = [
  [0, 1],
  [6, 4],
  [10, 11],
  [11, 25],
];

/**
 * The federal holidays of the United States between two times, each with the day before and the day after, as
 * half-open spans. Local days are expressed as UTC days.
 */
export function holidaysBetween(from: number, until: number): { startAt: number; endAt: number }[] {
  const [first, last] = [new Date(from).getUTCFullYear(), new Date(until).getUTCFullYear() + 1];
  return Array.from({ length: last - first + 1 }, (_, i) => holidaysOf(first + i))
    .flat()
    .map((startAt) => ({ startAt: startAt - DAY_MS, endAt: startAt + 2 * DAY_MS }));
}

function holidaysOf(year: number): number[] {
  return [
    ...FIXED.map(([month, day]) => Date.UTC(year, month, day)),
    ...FLOATING.map(({ month, weekday, nth }) => {
      const anchor = new Date(nth < 0 ? Date.UTC(year, month + 1, 1) : Date.UTC(year, month, 1));
      const ahead = (weekday - anchor.getUTCDay() + 7) % 7;
      return anchor.getTime() + (ahead + 7 * (nth < 0 ? nth : nth - 1)) * DAY_MS;
    }),
  ];
}
