import * as z from 'zod';
import { listOf, zone } from '../text/text-schemas.ts';
import { holidaysSchema } from './holiday-calendar.ts';

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const DAY = `(${DAYS.join('|')})`;
const MINUTES_A_DAY = 1440;

const DAYS_FORM = new RegExp(`^${DAY}(-${DAY})?$`);
const TIME_FORM = /^([01]\d|2[0-3]):[0-5]\d$/;

const days = z.string('write days such as "mon" or "mon-fri"').regex(DAYS_FORM, {
  error: ({ input }) =>
    `"${String(input)}" is not a valid day; write "mon" or "mon-fri"${meant(daysIn(String(input)), DAYS_FORM)}`,
});
const timeOfDay = z.string('write a time in quotes, such as "20:00"').regex(TIME_FORM, {
  error: ({ input }) =>
    `"${String(input)}" is not a valid time; write one such as "20:00"${meant(timeIn(String(input)), TIME_FORM)}`,
});

const spanSchema = z
  .strictObject({
    days: z.array(days).min(1).describe('The days on which the span starts.'),
    from: timeOfDay.optional().describe('The start. Without "from" and "to", the span is the whole day.'),
    to: timeOfDay.optional().describe('The end. If it is earlier than "from", it is on the next day.'),
  })
  .superRefine(({ from, to }, context) => {
    const problem = (key: 'from' | 'to', message: string) =>
      context.addIssue({ code: 'custom', path: [key], message });
    if ((from === undefined) !== (to === undefined))
      problem(from === undefined ? 'from' : 'to', 'give "from" and "to", or neither for whole days');
    else if (from !== undefined && from === to)
      problem('to', 'must differ from "from"; for whole days, remove "from" and "to"');
  });

/** Times at which routes are muted or active, in `zone`. */
export const routeCalendarSchema = z
  .strictObject({
    zone: zone.default('UTC'),
    weekly: z.array(spanSchema).default([]).describe('Spans that repeat every week.'),
    holidays: holidaysSchema.optional().describe('Days that are covered from midnight to midnight.'),
    except: listOf(z.string()).optional().describe('Calendars whose times are left out.'),
  })
  .superRefine(({ weekly, holidays, except }, context) => {
    const problem = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (weekly.length === 0 && !holidays) problem([], 'give "weekly", "holidays" or both');
    if (!except && minutesLeft(weekly) === 0)
      problem(['weekly'], 'covers the whole week; shorten or remove a time range, or add "except"');
  });

export type RouteCalendar = z.output<typeof routeCalendarSchema>;
type Span = z.output<typeof spanSchema>;

/** Whether a day of the week (1 for Monday) is in `words`: "sat", or "sat-mon". */
export function isAmongDays(dayOfWeek: number, words: string): boolean {
  const [first = 0, last = first] = words.split('-').map((name) => DAYS.indexOf(name) + 1);
  return first <= last ? first <= dayOfWeek && dayOfWeek <= last : first <= dayOfWeek || dayOfWeek <= last;
}

function meant(word: string, form: RegExp): string {
  return form.test(word) ? `; did you mean "${word}"?` : '';
}

/** "Monday - Friday" as "mon-fri". */
function daysIn(words: string): string {
  return words
    .toLowerCase()
    .replaceAll(' ', '')
    .replaceAll(/[a-z]+/g, (name) => name.slice(0, 3));
}

/** "8:00" as "08:00"; midnight is "00:00". */
function timeIn(time: string): string {
  return time.padStart(5, '0').replace('24:00', '00:00');
}

/** The number of minutes of a week outside all spans. */
function minutesLeft(weekly: Span[]): number {
  const week = new Set(Array.from({ length: 7 * MINUTES_A_DAY }, (_, minute) => minute));
  for (const { days, from = '00:00', to = '00:00' } of weekly) {
    const start = minuteOf(from);
    const length = (minuteOf(to) - start + MINUTES_A_DAY) % MINUTES_A_DAY || MINUTES_A_DAY;
    for (let day = 0; day < 7; day++)
      if (days.some((words) => isAmongDays(day + 1, words)))
        for (let i = 0; i < length; i++) week.delete((day * MINUTES_A_DAY + start + i) % (7 * MINUTES_A_DAY));
  }
  return week.size;
}

function minuteOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}
