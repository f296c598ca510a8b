import { Temporal } from 'temporal-polyfill';
import { type Calendar, hoursOf, type Window, windowBefore, windowWeeksBefore } from './window.ts';

/** The place of a window in the week, and how much longer than usual it is. */
export interface Slot {
  /** 0 to 167 for hours, 0 to 6 for days, from Monday on by the local clock: an hour that it repeats has one place. */
  slot: number;
  /** 1 for a usual window; 23/24 for a day that lost an hour. */
  exposure: number;
}

/** Works out each fact of one calendar once: a history of ten weeks asks for thousands, and zones are slow. */
export class Almanac {
  readonly calendar: Calendar;
  readonly #befores = new Map<number, Window>();
  readonly #weeks = new Map<string, Window>();
  readonly #slots = new Map<number, Slot>();

  constructor(calendar: Calendar) {
    this.calendar = calendar;
  }

  /** The window that ends where `window` starts. */
  before(window: Window): Window {
    return remembered(this.#befores, window.startAt, () => windowBefore(window, this.calendar));
  }

  /** The same slot of the calendar `weeks` weeks before; only for hours, days and weeks. */
  weeksBefore(window: Window, weeks: number): Window {
    return remembered(this.#weeks, `${window.startAt}/${weeks}`, () =>
      windowWeeksBefore(window, weeks, this.calendar),
    );
  }

  /** The `count` windows that end with `last`, oldest first. */
  through(last: Window, count: number): Window[] {
    const windows: Window[] = [];
    for (let window = last; windows.length < count; window = this.before(window)) windows.push(window);
    return windows.reverse();
  }

  /** Only for hours and days. */
  slotOf(window: Window): Slot {
    return remembered(this.#slots, window.startAt, () => {
      const { grain, zone } = this.calendar;
      const start = Temporal.Instant.fromEpochMilliseconds(window.startAt).toZonedDateTimeISO(zone);
      const day = start.dayOfWeek - 1;
      return grain === 'hour'
        ? { slot: day * 24 + start.hour, exposure: 1 }
        : { slot: day, exposure: hoursOf(window) / 24 };
    });
  }
}

/** One almanac for all that share a calendar. */
export class Almanacs {
  readonly #byCalendar = new Map<string, Almanac>();

  of(calendar: Calendar): Almanac {
    return remembered(this.#byCalendar, `${calendar.grain} ${calendar.zone}`, () => new Almanac(calendar));
  }
}

function remembered<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}
