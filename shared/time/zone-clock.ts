import { Temporal } from 'temporal-polyfill';
import { DAY_MS } from '../units/durations.ts';

/** A half-open time span between two clock changes. Infinite if there is no change. */
interface Stretch {
  fromAt: number;
  toAt: number;
  /** Local time minus UTC, in milliseconds. */
  offset: number;
}

/**
 * Converts between instants and local times of one zone by arithmetic. A year has two or three spans without a clock
 * change, and each is looked up once. Local times are epoch milliseconds as if the zone were UTC.
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

  /** The instant of a local time: the first one if it occurs twice, and shifted by the gap if it is skipped. */
  instantOf(local: number): number {
    const at = local - this.stretchAt(local).offset;
    return this.isSteady(at, at) ? at : this.#inZone(local, 'compatible');
  }

  /** The second instant of a local time that occurs twice; the only one of any other. */
  laterInstantOf(local: number): number {
    const at = this.instantOf(local);
    return this.isSteady(at, at) ? at : this.#inZone(local, 'later');
  }

  /** Whether no clock change is within a day of the span. A day is longer than any offset. */
  isSteady(fromAt: number, toAt: number): boolean {
    const stretch = this.stretchAt(fromAt);
    return stretch.fromAt <= fromAt - DAY_MS && toAt + DAY_MS < stretch.toAt;
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
    // The previous transition is exclusive, but a change at exactly `at` starts the span.
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
