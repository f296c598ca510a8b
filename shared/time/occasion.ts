import { Temporal } from 'temporal-polyfill';
import type { Occasion } from '../statistics/occasions.ts';
import { lazyIn } from '../units/lazy.ts';
import { type Holidays, holidayOn, OFF } from './holiday-calendar.ts';

/** The epoch. */
const FIRST = Temporal.PlainDate.from('1970-01-01');

const SATURDAY = 6;

/** Days beside a holiday, the nearest first. Bridge days are among them. */
const BESIDE = [
  { days: -1, text: 'the day after' },
  { days: 1, text: 'the day before' },
];
const BESIDE_ON_WEEKENDS = [
  ...BESIDE,
  { days: -2, text: 'the weekend after' },
  { days: 2, text: 'the weekend before' },
];

/** By calendar and day: seasons are rebuilt from ten weeks of hours, for each series. */
const known = new Map<string, Map<number, Occasion | undefined>>();

/** The occasion on a day, by the number of days since 1970. */
export function occasionsOf(holidays: Holidays): (day: number) => Occasion | undefined {
  const days = lazyIn(known, JSON.stringify(holidays), () => new Map<number, Occasion | undefined>());
  return (day) => lazyIn(days, day, () => occasionOn(FIRST.add({ days: day }), holidays));
}

/** The holiday on `date`, or one beside it. */
export function occasionOn(date: Temporal.PlainDate, holidays: Holidays): Occasion | undefined {
  const own = holidayOn(date, holidays, OFF);
  if (own !== null) return { name: own, isNear: false };
  for (const { days, text } of date.dayOfWeek >= SATURDAY ? BESIDE_ON_WEEKENDS : BESIDE) {
    const name = holidayOn(date.add({ days }), holidays, OFF);
    if (name !== null) return { name: `${text} ${name}`, isNear: true };
  }
  return undefined;
}
