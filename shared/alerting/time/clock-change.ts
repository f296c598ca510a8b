import { Temporal } from 'temporal-polyfill';
import { isZone } from '../../analytics/zone.ts';
import { type Cadence, comesOn, timeOfDay } from './cadence.ts';

/** A change of the clocks: from this local time to that. Going forward it leaves a half-open span out, else it repeats one. */
interface ClockChange {
  from: Temporal.PlainDateTime;
  to: Temporal.PlainDateTime;
}

/** A run that does not come. Dates as 2027-03-28, times as 02:30. */
export interface SkippedRun {
  date: string;
  time: string;
  /** What the clock jumps over: from this time, to that. */
  from: string;
  to: string;
}

/**
 * The first run that a change to summer time leaves out, of a cadence that comes once a day at most: such a run is
 * missed for a day or longer. One that comes more often makes up for it the same day, and has none. An unknown zone
 * has none either.
 */
export function skippedRun(cadence: Cadence): SkippedRun | undefined {
  const time = timeOfDay(cadence);
  if (!time) return undefined;
  for (const { from, to } of changesOf(cadence.zone)) {
    const date = from.toPlainDate();
    const run = date.toPlainDateTime(time);
    const isLeftOut = !isBefore(run, from) && isBefore(run, to);
    if (isLeftOut && comesOn(cadence, date))
      return { date: date.toString(), time: clock(run), from: clock(from), to: clock(to) };
  }
  return undefined;
}

/** The first run of a time that a change to winter time shows twice, of such a cadence; it comes at the first of them. */
export function repeatedRun(cadence: Cadence): { date: string; time: string } | undefined {
  const time = timeOfDay(cadence);
  if (!time) return undefined;
  for (const { from, to } of changesOf(cadence.zone)) {
    const date = to.toPlainDate();
    const run = date.toPlainDateTime(time);
    const isTwice = !isBefore(run, to) && isBefore(run, from);
    if (isTwice && comesOn(cadence, date)) return { date: date.toString(), time: clock(run) };
  }
  return undefined;
}

/** Fixed, so that rules which were right stay right; enough years for a change to have fallen on each of its dates. */
const [FIRST_YEAR, LAST_YEAR] = [2027, 2037];

/** Finding them takes milliseconds, and most rules share a zone. */
const known = new Map<string, ClockChange[]>();

function changesOf(zone: string): ClockChange[] {
  const changes = known.get(zone) ?? (isZone(zone) ? [...findChanges(zone)] : []);
  known.set(zone, changes);
  return changes;
}

function* findChanges(zone: string): Generator<ClockChange> {
  let before = Temporal.PlainDate.from({ year: FIRST_YEAR, month: 1, day: 1 }).toZonedDateTime(zone);
  for (;;) {
    const change = before.getTimeZoneTransition('next');
    if (!change || change.year > LAST_YEAR) return;
    const to = change.toPlainDateTime();
    const nanoseconds = change.offsetNanoseconds - before.offsetNanoseconds;
    if (nanoseconds !== 0) yield { from: to.subtract({ nanoseconds }), to };
    before = change;
  }
}

function isBefore(a: Temporal.PlainDateTime, b: Temporal.PlainDateTime): boolean {
  return Temporal.PlainDateTime.compare(a, b) < 0;
}

function clock(at: Temporal.PlainDateTime): string {
  return at.toPlainTime().toString({ smallestUnit: 'minute' });
}
