import { Temporal } from 'temporal-polyfill';

const DAY = 86_400_000;

/** A time between two changes of the clocks, half-open; infinite where there is no change. */
interface Stretch {
  fromAt: number;
  toAt: number;
  /** Local time minus UTC, in milliseconds. */
  offset: number;
}

/**
 * The clocks of one zone by arithmetic: a year has two or three stretches in which they do not change, and each is
 * looked up once. Local times are epoch milliseconds as if the zone were UTC.
 */
export class ZoneClock {
  readonly zone: string;
  readonly #stretches: Stretch[] = [];
  #latest: Stretch;

  constructor(zone: string) {
    this.zone = zone;
    this.#latest = this.#lookUp(0);
  }

  localOf(at: number): number {
    return at + this.stretchAt(at).offset;
  }

  /** The instant of a local time: the first of two, and past a gap as far as the clocks jump. */
  instantOf(local: number): number {
    const at = local - this.stretchAt(local).offset;
    return this.isSteady(at, at) ? at : this.#inZone(local, 'compatible');
  }

  /** The second instant of a local time that comes twice; of any other the one it has. */
  laterInstantOf(local: number): number {
    const at = this.instantOf(local);
    return this.isSteady(at, at) ? at : this.#inZone(local, 'later');
  }

  /** Whether clocks do not change from a day before `fromAt` until a day after `toAt`: a day is more than any offset. */
  isSteady(fromAt: number, toAt: number): boolean {
    const stretch = this.stretchAt(fromAt);
    return stretch.fromAt <= fromAt - DAY && toAt + DAY < stretch.toAt;
  }

  stretchAt(at: number): Stretch {
    const isIn = ({ fromAt, toAt }: Stretch) => fromAt <= at && at < toAt;
    if (isIn(this.#latest)) return this.#latest;
    const known = this.#stretches.find(isIn);
    this.#latest = known ?? this.#lookUp(at);
    return this.#latest;
  }

  #lookUp(at: number): Stretch {
    const time = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(this.zone);
    const next = time.getTimeZoneTransition('next');
    // Transitions lie strictly before a time; a change at this very instant begins its stretch.
    const before = time.add({ milliseconds: 1 }).getTimeZoneTransition('previous');
    const stretch = {
      fromAt: before?.epochMilliseconds ?? -Infinity,
      toAt: next?.epochMilliseconds ?? Infinity,
      offset: time.offsetNanoseconds / 1e6,
    };
    this.#stretches.push(stretch);
    return stretch;
  }

  #inZone(local: number, disambiguation: 'compatible' | 'later'): number {
    const time = Temporal.Instant.fromEpochMilliseconds(local).toZonedDateTimeISO('UTC').toPlainDateTime();
    return time.toZonedDateTime(this.zone, { disambiguation }).epochMilliseconds;
  }
}
