import { METRICS } from '../rules/metrics.ts';
import type { Window } from '../time/window.ts';
import { lazyIn } from '../units/lazy.ts';
import { type IndexedSnapshot, isAlive, rowKey, type Shape } from './indexed-snapshot.ts';
import type { Period, SeriesKey } from './reading.ts';
import type { Snapshots } from './snapshots.ts';

/** The start of each series in some snapshots. Computed at the first call and then kept. */
export class SeriesStarts {
  readonly #snapshots: Snapshots;
  /** Starts that alerts remember, by `rememberedKey`, as snapshots from that time may not be loaded. */
  readonly #remembered: ReadonlyMap<string, number>;
  /** By the requested keys. */
  readonly #known = new Map<string, number>();

  constructor(snapshots: Snapshots, remembered: ReadonlyMap<string, number>) {
    this.#snapshots = snapshots;
    this.#remembered = remembered;
  }

  /**
   * When the known windows of the series start, in epoch milliseconds. The first window with figures may be partial, so
   * this is its end. `-Infinity` if the oldest snapshot has figures.
   */
  of(series: SeriesKey, coverage: Coverage): number {
    const row = rowKey(series);
    const asked = `${row} ${series.outside !== undefined} ${series.zeroBefore} ${coverage.keys}`;
    return lazyIn(this.#known, asked, () => this.#startOf(series, coverage));
  }

  #startOf(series: SeriesKey, coverage: Coverage): number {
    if (series.zeroBefore === 'series') return -Infinity;
    if (series.zeroBefore === 'segment') return this.of(eventOf(series), coverage);
    const remembered =
      (series.outside ? undefined : this.#remembered.get(rememberedKey(series, coverage.keys))) ?? Infinity;
    const sinceAt = Math.min(remembered, this.#seenSince(series, coverage) + learningMs(coverage));
    // All windows of a series that was never seen are empty.
    return sinceAt === Infinity ? -Infinity : sinceAt;
  }

  /** `Infinity` if no snapshot has figures. */
  #seenSince(series: SeriesKey, coverage: Coverage): number {
    const sought = { series, row: rowKey(series) };
    let isEmptyBefore = false;
    for (const snapshots of this.#snapshots.inOrder()) {
      const covering = coverage.among(snapshots);
      const [snapshot] = covering;
      if (!snapshot) continue;
      const has = (period: 'current' | 'previous') =>
        covering.some((each) => isAlive(each, sought, coverage.keys, period));
      // A compared answer also has the window before, which ends at the start of its own.
      if (has('previous')) return isEmptyBefore ? snapshot.startAt : -Infinity;
      if (covering.some(({ isAlone }) => !isAlone)) isEmptyBefore = true;
      if (has('current')) return isEmptyBefore ? snapshot.endAt : snapshot.startAt;
      isEmptyBefore = true;
    }
    return Infinity;
  }
}

/**
 * In the first days of an app all users are new. It takes this long until most users are known. Other figures are correct
 * from the first whole window on.
 */
function learningMs({ keys }: Coverage): number {
  return keys.includes(METRICS.new_users.key) ? 7 * 86_400_000 : 0;
}

export function rememberedKey(series: SeriesKey, keys: readonly string[]): string {
  return `${rowKey(series)} ${keys}`;
}

/** The series of all segments of the event. */
export function eventOf({ eventName }: SeriesKey): SeriesKey {
  return { ...(eventName !== undefined && { eventName }), outside: NO_SEGMENTS };
}

const NO_SEGMENTS: ReadonlySet<string> = new Set();

/** A number: the figures of the window that many readings ago. */
export type Asked = Period | number;

/**
 * Whether the requested figures are from before the start of the series. An app, an event or a segment has none there,
 * and zeros would make its start look like a rise.
 */
export function isBeforeStart(window: Window, asked: Asked, sinceAt: number): boolean {
  const endAt = asked === 'previous' ? window.startAt : window.endAt;
  return endAt <= sinceAt;
}

/** Which snapshots have all of `keys` for an event, or for all events if it is `undefined`. */
export class Coverage {
  readonly eventName: string | undefined;
  readonly keys: readonly string[];
  /** By shape, as thousands of snapshots have a few shapes. */
  readonly #known = new Map<Shape, boolean>();

  constructor(eventName: string | undefined, keys: readonly string[]) {
    this.eventName = eventName;
    this.keys = keys;
  }

  has({ shape }: IndexedSnapshot): boolean {
    const known = this.#known.get(shape);
    if (known !== undefined) return known;
    const isOfEvent = this.eventName === undefined || shape.eventNames.has(this.eventName);
    const has = isOfEvent && this.keys.every((key) => shape.keys.includes(key));
    this.#known.set(shape, has);
    return has;
  }

  /** The covered ones of `snapshots`. Returns the same array if all are covered, which is the common case. */
  among(snapshots: readonly IndexedSnapshot[]): readonly IndexedSnapshot[] {
    for (const snapshot of snapshots)
      if (!this.has(snapshot)) return snapshots.filter((each) => this.has(each));
    return snapshots;
  }
}
