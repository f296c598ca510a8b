import { DAY_MS, HOUR_MS, WEEK_MS } from '../units/durations.ts';
import { lazyIn } from '../units/lazy.ts';
import {
  type Calendar,
  endAfter,
  hoursOf,
  minuteOf,
  type Window,
  windowEnding,
  windowsBack,
  windowWeeksBefore,
} from './window.ts';
import { ZoneClock } from './zone-clock.ts';

/** The place of a window in the week, and its length relative to a normal window. */
export interface Slot {
  /** 0 to 167 for hours, 0 to 6 for days, from Monday in local time. A repeated hour has the same slot twice. */
  slot: number;
  /** 1 for a normal window; 23/24 for a day of 23 hours. */
  exposure: number;
  /** The local date, in days since 1970. */
  day: number;
}

/** The epoch was a Thursday. */
const DAYS_FROM_MONDAY = 3;

/** No baseline reaches back further. */
const MOST_WEEKS = 2000;

/** The windows of one calendar, remembered: a history of ten weeks needs thousands, again in each run. */
export class CalendarWindows {
  readonly calendar: Calendar;
  readonly #clock: ZoneClock;
  /** By minute, and by minute and weeks: `minuteOf` says why. */
  readonly #endings = new Map<number, Window>();
  readonly #weeks = new Map<number, Window>();
  readonly #throughs = new Map<number, readonly Window[]>();

  constructor(calendar: Calendar) {
    this.calendar = calendar;
    this.#clock = new ZoneClock(calendar.zone);
  }

  before({ startAt }: Window): Window {
    return this.ending(startAt);
  }

  /** The window that ends at `endAt`, which must be the end of one. */
  ending(endAt: number): Window {
    return lazyIn(this.#endings, minuteOf(endAt), () => windowEnding(endAt, this.calendar));
  }

  after({ endAt }: Window): Window {
    return { startAt: endAt, endAt: endAfter(endAt, 1, this.calendar) };
  }

  /** The same slot of the calendar `weeks` weeks before; only for hours, days and weeks. */
  weeksBefore(window: Window, weeks: number): Window {
    const key = minuteOf(window.startAt) * MOST_WEEKS + weeks;
    return lazyIn(this.#weeks, key, () => windowWeeksBefore(window, weeks, this.calendar));
  }

  back(window: Window, count: number): Window {
    return windowsBack(window, count, this.calendar);
  }

  /** The `count` windows that end with `last`, oldest first. */
  through(last: Window, count: number): readonly Window[] {
    const kept = this.#throughs.get(count);
    const newest = kept?.at(-1);
    if (kept && newest?.startAt === last.startAt) return kept;
    // Callers step through time, so all windows but one are the same as in the last call.
    const windows =
      kept && newest?.endAt === last.startAt ? [...kept.slice(1), last] : this.#listed(last, count);
    this.#throughs.set(count, windows);
    return windows;
  }

  #listed(last: Window, count: number): Window[] {
    const windows: Window[] = [];
    for (let window = last; windows.length < count; window = this.before(window)) windows.push(window);
    return windows.reverse();
  }

  /** Only for hours and days. */
  slotOf(window: Window): Slot {
    const local = this.#clock.localOf(window.startAt);
    const sinceMonday = (((local + DAYS_FROM_MONDAY * DAY_MS) % WEEK_MS) + WEEK_MS) % WEEK_MS;
    const day = Math.floor(local / DAY_MS);
    return this.calendar.grain === 'hour'
      ? { slot: Math.floor(sinceMonday / HOUR_MS), exposure: 1, day }
      : { slot: Math.floor(sinceMonday / DAY_MS), exposure: hoursOf(window) / 24, day };
  }
}

/** Shares one `CalendarWindows` for each calendar. */
export class CalendarWindowsByZone {
  readonly #byCalendar = new Map<string, CalendarWindows>();

  of(calendar: Calendar): CalendarWindows {
    return lazyIn(
      this.#byCalendar,
      `${calendar.grain} ${calendar.zone}`,
      () => new CalendarWindows(calendar),
    );
  }
}
