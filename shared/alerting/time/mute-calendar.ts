import { Temporal } from 'temporal-polyfill';
import { holidayOn } from './holiday-calendar.ts';
import { isAmongDays, type MuteCalendar } from './mute-calendar-schema.ts';
import type { Window } from './window.ts';

/** Nobody asks further ahead: longer than holidays and nights that touch go on anywhere. */
const LOOK_AHEAD_DAYS = 31;

/** Until when the calendar mutes what is told at `at`; `null` where it does not. Spans that touch are one. */
export function mutedUntil(calendar: MuteCalendar, at: number): number | null {
  const today = dateAt(at, calendar.zone);
  let until = at;
  for (let day = -1; day <= LOOK_AHEAD_DAYS; day++) {
    const date = today.add({ days: day });
    if (day > 0 && until < startOf(date, '00:00', calendar.zone)) break;
    until = throughSpans(spansFrom(date, calendar), until);
  }
  return until === at ? null : until;
}

/** When the calendar last ceased to mute in `(fromAt, throughAt]`; `null` where it did not. */
export function lastMutedUntil(calendar: MuteCalendar, fromAt: number, throughAt: number): number | null {
  const first = dateAt(fromAt, calendar.zone).subtract({ days: 1 });
  let date = dateAt(throughAt, calendar.zone);
  for (; Temporal.PlainDate.compare(date, first) >= 0; date = date.subtract({ days: 1 })) {
    const ends = spansFrom(date, calendar)
      .map(({ endAt }) => endAt)
      .filter((endAt) => fromAt < endAt && endAt <= throughAt && mutedUntil(calendar, endAt) === null);
    if (ends.length > 0) return Math.max(...ends);
  }
  return null;
}

/** The end of the last of the spans that begin where the one before them ends, or earlier. */
function throughSpans(spans: Window[], at: number): number {
  const next = Math.max(at, ...spans.flatMap(({ startAt, endAt }) => (startAt <= at ? [endAt] : [])));
  return next === at ? at : throughSpans(spans, next);
}

/** What is mute from some time on `date`. */
function spansFrom(date: Temporal.PlainDate, { weekly, holidays, zone }: MuteCalendar): Window[] {
  const own = weekly.filter(({ days }) => days.some((words) => isAmongDays(date.dayOfWeek, words)));
  const isHoliday = holidays !== undefined && holidayOn(date, holidays) !== null;
  return [...own, ...(isHoliday ? [{}] : [])].map(({ from = '00:00', to = '00:00' }: Times) => ({
    startAt: startOf(date, from, zone),
    endAt: endOf(from < to ? date : date.add({ days: 1 }), to, zone),
  }));
}

interface Times {
  from?: string | undefined;
  to?: string | undefined;
}

// What clocks show twice is mute both times: a span lasts from the first beginning to the second end.
function startOf(date: Temporal.PlainDate, time: string, zone: string): number {
  return instantOf(date, time, { zone, disambiguation: 'earlier' });
}

function endOf(date: Temporal.PlainDate, time: string, zone: string): number {
  const second = instantOf(date, time, { zone, disambiguation: 'later' });
  // Where the clocks go back to this very time, they show no earlier time again.
  return changeBefore(second + 1, zone) === second
    ? instantOf(date, time, { zone, disambiguation: 'earlier' })
    : second;
}

/** A time that the clocks leave out is when they do. */
function instantOf(
  date: Temporal.PlainDate,
  time: string,
  { zone, disambiguation }: { zone: string; disambiguation: 'earlier' | 'later' },
): number {
  const wanted = date.toPlainDateTime(time);
  const found = wanted.toZonedDateTime(zone, { disambiguation });
  if (found.toPlainDateTime().equals(wanted)) return found.epochMilliseconds;
  const after = wanted.toZonedDateTime(zone, { disambiguation: 'later' });
  // The first time that is left out comes to be the change itself, and changes are looked for strictly before a time.
  return changeBefore(after.epochMilliseconds + 1, zone) ?? after.epochMilliseconds;
}

/** When the clocks of the zone last changed before `at`. */
function changeBefore(at: number, zone: string): number | undefined {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  return local.getTimeZoneTransition('previous')?.epochMilliseconds;
}

function dateAt(at: number, zone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate();
}
