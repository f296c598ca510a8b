import { Temporal } from 'temporal-polyfill';
import * as z from 'zod';
import { listOf, zone } from '../text/text-schemas.ts';
import { DAY_MS } from '../units/durations.ts';
import { holidayOn, holidaysSchema } from './holiday-calendar.ts';
import type { Window } from './window.ts';

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const DAY = `(${DAYS.join('|')})`;

const days = z.string('write days such as "mon" or "mon-fri"').regex(new RegExp(`^${DAY}(-${DAY})?$`), {
  error: ({ input }) => `"${String(input)}" is not a valid day; write "mon" or "mon-fri"`,
});
const timeOfDay = z.string('write a time in quotes, such as "20:00"').regex(/^([01]\d|2[0-3]):[0-5]\d$/, {
  error: ({ input }) => `"${String(input)}" is not a valid time; write one such as "20:00"`,
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
  .refine(({ weekly, holidays }) => weekly.length > 0 || holidays, 'give "weekly", "holidays" or both');

export type RouteCalendar = z.output<typeof routeCalendarSchema>;

/** Whether a day of the week (1 for Monday) is in `words`: "sat", or "sat-mon". */
export function isAmongDays(dayOfWeek: number, words: string): boolean {
  const [first = 0, last = first] = words.split('-').map((name) => DAYS.indexOf(name) + 1);
  return first <= last ? first <= dayOfWeek && dayOfWeek <= last : first <= dayOfWeek || dayOfWeek <= last;
}

/** Calendars by name. They may name one another in `except`, without a cycle. */
export type Calendars = Readonly<Record<string, RouteCalendar>>;

/** Longer than any run of adjacent holidays and nights. */
const LOOK_AHEAD_MS = 32 * DAY_MS;

/** The spans of `range` that the calendar covers, in order. Adjacent spans count as one. */
export function coveredSpans(name: string, calendars: Calendars, range: Window): Window[] {
  const calendar = calendars[name];
  if (!calendar) return [];
  const { except = [] } = calendar;
  const exceptions = except.flatMap((other) => coveredSpans(other, calendars, range));
  return exceptions.reduce(without, joined(ownSpans(calendar, range)));
}

/** The names of the calendars that cover `at`. */
export function coveringAt(calendars: Calendars, at: number): ReadonlySet<string> {
  const known = lastCovering.get(calendars);
  if (known?.at === at) return known.names;
  const isCovered = (name: string) =>
    coveredSpans(name, calendars, { startAt: at, endAt: at + 1 }).length > 0;
  const names = new Set(Object.keys(calendars).filter(isCovered));
  lastCovering.set(calendars, { at, names });
  return names;
}

/** Thousands of alerts share the time of one run, and calendars are slow to query. */
const lastCovering = new WeakMap<Calendars, { at: number; names: ReadonlySet<string> }>();

/** When the calendar stops covering; `null` if it does not cover `at`. */
export function coveredUntil(name: string, calendars: Calendars, at: number): number | null {
  const [first] = coveredSpans(name, calendars, { startAt: at, endAt: at + LOOK_AHEAD_MS });
  return first?.startAt === at ? first.endAt : null;
}

/** When the calendar last stopped covering in `(fromAt, throughAt]`; `null` if it did not. */
export function lastCoveredUntil(
  name: string,
  calendars: Calendars,
  { fromAt, throughAt }: { fromAt: number; throughAt: number },
): number | null {
  const spans = coveredSpans(name, calendars, { startAt: fromAt, endAt: throughAt + 1 });
  return spans.findLast(({ endAt }) => endAt <= throughAt)?.endAt ?? null;
}

/** The part of the spans of `weekly` and `holidays` that lies in `range`. */
function ownSpans(calendar: RouteCalendar, { startAt, endAt }: Window): Window[] {
  const last = dateAt(endAt, calendar.zone);
  const spans: Window[] = [];
  // A span that started on the day before may reach into the range.
  let date = dateAt(startAt, calendar.zone).subtract({ days: 1 });
  for (; Temporal.PlainDate.compare(date, last) <= 0; date = date.add({ days: 1 }))
    for (const span of spansFrom(date, calendar)) {
      const own = { startAt: Math.max(startAt, span.startAt), endAt: Math.min(endAt, span.endAt) };
      if (own.startAt < own.endAt) spans.push(own);
    }
  return spans;
}

/** Overlapping and adjacent spans as one, in order. */
function joined(spans: Window[]): Window[] {
  const whole: Window[] = [];
  for (const span of spans.toSorted((a, b) => a.startAt - b.startAt)) {
    const before = whole.at(-1);
    if (before && span.startAt <= before.endAt) before.endAt = Math.max(before.endAt, span.endAt);
    else whole.push({ ...span });
  }
  return whole;
}

function without(spans: Window[], hole: Window): Window[] {
  return spans.flatMap(({ startAt, endAt }) =>
    [
      { startAt, endAt: Math.min(endAt, hole.startAt) },
      { startAt: Math.max(startAt, hole.endAt), endAt },
    ].filter((left) => left.startAt < left.endAt),
  );
}

/** The spans that start on `date`. */
function spansFrom(date: Temporal.PlainDate, { weekly, holidays, zone }: RouteCalendar): Window[] {
  const own = weekly.filter(({ days }) => days.some((words) => isAmongDays(date.dayOfWeek, words)));
  const isHoliday = holidays !== undefined && holidayOn(date, holidays) !== null;
  return [...own, ...(isHoliday ? [{}] : [])].map(({ from = '00:00', to = '00:00' }: Times) => ({
    startAt: instantOf(date, from, zone),
    endAt: instantOf(from < to ? date : date.add({ days: 1 }), to, zone),
  }));
}

interface Times {
  from?: string | undefined;
  to?: string | undefined;
}

/** The first instant of a local time that clocks show twice; moved forward by the gap if clocks skip it. */
function instantOf(date: Temporal.PlainDate, time: string, zone: string): number {
  return date.toPlainDateTime(time).toZonedDateTime(zone).epochMilliseconds;
}

function dateAt(at: number, zone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate();
}
