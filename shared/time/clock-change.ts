import { Temporal } from 'temporal-polyfill';
import { isZone } from '../contract/zone.ts';
import { type Cadence, comesOn, timeOfDay } from './cadence.ts';

/** A clock change between two local times. It skips the half-open span from `from` to `to`, or repeats it if `to` is earlier. */
interface ClockChange {
  from: Temporal.PlainDateTime;
  to: Temporal.PlainDateTime;
}

/** A run that a clock change skips. Dates are like 2027-03-28, times like 02:30. */
export interface SkippedRun {
  date: string;
  time: string;
  /** The local times that the clock skips. */
  from: string;
  to: string;
}

/**
 * The first run that a change to summer time skips, for cadences that run at most once a day. `undefined` for other
 * cadences, which run again the same day, and for unknown zones.
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

/** Fixed, so that valid rules stay valid. Enough years for clock changes to fall on all of their possible dates. */
const [FIRST_YEAR, LAST_YEAR] = [2027, 2037];

/** By zone: finding the changes takes milliseconds, and most rules share a zone. */
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
