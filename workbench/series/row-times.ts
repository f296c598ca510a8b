import { ZoneClock } from '../../shared/time/zone-clock.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';

/** Accepted forms of a time, for messages. */
export const TIME_FORMS =
  '2026-03-01, 2026-03-01T14:00, 2026-03-01T14:00:00+01:00 or a Unix time in seconds or milliseconds';

const FORM =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?: ?(Z|UTC|[+-]\d\d(?::?\d\d)?))?)?$/i;
const UNIX_SECONDS = /^\d{9,11}(\.\d+)?$/;
const UNIX_MILLIS = /^\d{12,14}$/;

/** Reads the times of a file's rows, which must be in order. A time without an offset is in the zone. */
export class RowTimes {
  readonly #clock: ZoneClock;
  /** The last moment without an offset. */
  #last = -Infinity;

  constructor(zone: string) {
    this.#clock = new ZoneClock(zone);
  }

  /** Epoch milliseconds; `undefined` for an invalid time. */
  read(text: string): number | undefined {
    if (UNIX_SECONDS.test(text)) return Math.round(Number(text) * 1000);
    if (UNIX_MILLIS.test(text)) return Number(text);
    const [, day, time = '00:00', offset] = FORM.exec(text) ?? [];
    const local = Date.parse(`${day}T${time}Z`);
    // A day or an hour that does not exist is read as one of another day.
    if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 10) !== day) return undefined;
    return offset === undefined ? this.#instantOf(local) : offsetBy(local, offset);
  }

  /** A repeated hour is the first one until times go back, or its start occurs twice as in a file of hours. */
  #instantOf(local: number): number {
    const [first, again] = [this.#clock.instantOf(local), this.#clock.laterInstantOf(local)];
    const isAgain = first < this.#last || (first === this.#last && local % HOUR_MS === 0);
    this.#last = again > first && isAgain ? again : first;
    return this.#last;
  }
}

/** "+01:00", "+0100", "+01", "Z". */
function offsetBy(local: number, offset: string): number {
  const [, sign = '+', hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? [];
  const shift = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '-' ? local + shift : local - shift;
}
