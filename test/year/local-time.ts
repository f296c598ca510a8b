/**
 * What the clocks of a time zone show, from `Intl` alone: an oracle for the windows and runs of rules. It uses neither
 * Temporal nor the code under test, and knows no offsets, no lengths of days and no rules of clock changes.
 */

/** At each step, the clocks of every zone show a full quarter of an hour, and they change only at steps. */
const STEP_MS = 15 * 60_000;

/** A half-open span in epoch milliseconds. */
export interface Span {
  startAt: number;
  endAt: number;
}

export type Unit = 'hour' | 'day' | 'week' | 'month';

/** A clock as a person reads it. */
interface ClockTime {
  at: number;
  date: string;
  day: string;
  weekday: string;
  hour: string;
  minute: string;
}

/** The clocks of one zone at every quarter of an hour of `span`. */
export class LocalTime {
  readonly #times: ClockTime[];

  constructor(zone: string, { startAt, endAt }: Span) {
    const format = new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone: zone, calendar: 'gregory', hourCycle: 'h23', weekday: 'short' },
      ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
    });
    const count = (endAt - startAt) / STEP_MS;
    this.#times = Array.from({ length: count }, (_, i) => clockTimeAt(startAt + i * STEP_MS, format));
  }

  /** The calendar units, oldest first, without those that the span cuts off. */
  windows(unit: Unit): Span[] {
    const starts = this.#times.filter((time, i) => {
      const before = this.#times[i - 1];
      return before !== undefined && begins(unit, time, before);
    });
    return starts.slice(1).map(({ at }, i) => ({ startAt: starts[i]?.at ?? at, endAt: at }));
  }

  /** The times at which the clocks show one of `times` ("07:30"), the first time on each date. */
  runs(times: string[], isOn: (time: Pick<ClockTime, 'day' | 'weekday'>) => boolean): number[] {
    const seen = new Set<string>();
    return this.#times.flatMap((time) => {
      const { at, date, hour, minute } = time;
      const shown = `${date} ${hour}:${minute}`;
      if (!times.includes(`${hour}:${minute}`) || !isOn(time) || seen.has(shown)) return [];
      seen.add(shown);
      return [at];
    });
  }
}

function begins(unit: Unit, time: ClockTime, before: ClockTime): boolean {
  const isNewDate = time.date !== before.date;
  switch (unit) {
    case 'hour':
      // An hour begins when the clock shows a full hour, and also if it skips to the middle of another hour.
      return time.minute === '00' || time.hour !== before.hour || isNewDate;
    case 'day':
      return isNewDate;
    case 'week':
      return isNewDate && time.weekday === 'Mon';
    case 'month':
      return isNewDate && time.day === '01';
  }
}

function clockTimeAt(at: number, format: Intl.DateTimeFormat): ClockTime {
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const { year, month, day = '', weekday = '', hour = '', minute = '' } = parts;
  return { at, date: `${year}-${month}-${day}`, day, weekday, hour, minute };
}
