const DAY = 86_400_000;

/** The month and weekday of the federal holidays that move; `nth` -1 is the last of the month. Months from 0. */
const MOVING = [
  { month: 0, weekday: 1, nth: 3 },
  { month: 1, weekday: 1, nth: 3 },
  { month: 4, weekday: 1, nth: -1 },
  { month: 8, weekday: 1, nth: 1 },
  { month: 9, weekday: 1, nth: 2 },
  { month: 10, weekday: 4, nth: 4 },
];

/** Month and day of those that do not. */
const FIXED: [month: number, day: number][] = [
  [0, 1],
  [6, 4],
  [10, 11],
  [11, 25],
];

/**
 * The federal holidays of the United States between two times, each with the day before and the day after, as
 * half-open spans. Local days are written as if they were UTC.
 */
export function holidaysBetween(from: number, until: number): { startAt: number; endAt: number }[] {
  const [first, last] = [new Date(from).getUTCFullYear(), new Date(until).getUTCFullYear() + 1];
  return Array.from({ length: last - first + 1 }, (_, i) => holidaysOf(first + i))
    .flat()
    .map((startAt) => ({ startAt: startAt - DAY, endAt: startAt + 2 * DAY }));
}

function holidaysOf(year: number): number[] {
  return [
    ...FIXED.map(([month, day]) => Date.UTC(year, month, day)),
    ...MOVING.map(({ month, weekday, nth }) => {
      const anchor = new Date(nth < 0 ? Date.UTC(year, month + 1, 1) : Date.UTC(year, month, 1));
      const ahead = (weekday - anchor.getUTCDay() + 7) % 7;
      return anchor.getTime() + (ahead + 7 * (nth < 0 ? nth : nth - 1)) * DAY;
    }),
  ];
}
