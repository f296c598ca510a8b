import { Temporal } from 'temporal-polyfill';
import { holidayOn } from './holiday-calendar.ts';
import { isAmongDays, type MuteCalendar } from './mute-calendar-schema.ts';
import type { Window } from './window.ts';

/** Longer than any run of adjacent holidays and nights. */
const LOOK_AHEAD_DAYS = 31;

/** When the mute at `at` ends; `null` if there is none. Adjacent spans count as one. */
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

/** When the last mute in `(fromAt, throughAt]` ended; `null` if none did. */
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

/** The end of the chain of adjacent or overlapping spans that contains `at`. */
function throughSpans(spans: Window[], at: number): number {
  const next = Math.max(at, ...spans.flatMap(({ startAt, endAt }) => (startAt <= at ? [endAt] : [])));
  return next === at ? at : throughSpans(spans, next);
}

/** The spans that start on `date`. */
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

// A repeated local time is muted both times: a span lasts from its first start to its second end.
function startOf(date: Temporal.PlainDate, time: string, zone: string): number {
  return instantOf(date, time, { zone, disambiguation: 'earlier' });
}

function endOf(date: Temporal.PlainDate, time: string, zone: string): number {
  const second = instantOf(date, time, { zone, disambiguation: 'later' });
  // If the clocks go back to exactly this time, no muted time repeats.
  return changeBefore(second + 1, zone) === second
    ? instantOf(date, time, { zone, disambiguation: 'earlier' })
    : second;
}

/** The instant of a local time. A skipped local time is the instant of the clock change. */
function instantOf(
  date: Temporal.PlainDate,
  time: string,
  { zone, disambiguation }: { zone: string; disambiguation: 'earlier' | 'later' },
): number {
  const wanted = date.toPlainDateTime(time);
  const found = wanted.toZonedDateTime(zone, { disambiguation });
  if (found.toPlainDateTime().equals(wanted)) return found.epochMilliseconds;
  const after = wanted.toZonedDateTime(zone, { disambiguation: 'later' });
  // The first skipped time maps to the change itself, and `changeBefore` is exclusive.
  return changeBefore(after.epochMilliseconds + 1, zone) ?? after.epochMilliseconds;
}

/** The last clock change of the zone strictly before `at`. */
function changeBefore(at: number, zone: string): number | undefined {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  return local.getTimeZoneTransition('previous')?.epochMilliseconds;
}

function dateAt(at: number, zone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate();
}
