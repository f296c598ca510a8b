import { METRICS } from '../rules/metric-table.ts';
import { isAlive, rowKey } from './indexed-snapshot.ts';
import type { SeriesKey } from './reading.ts';
import type { SeriesStart } from './series-start.ts';
import type { Coverage } from './snapshot-coverage.ts';
import type { Snapshots } from './snapshots.ts';

/** The start of each series in some snapshots. Computed at the first call and then kept. */
export class SeriesStarts {
  readonly #snapshots: Snapshots;
  /** Starts that alerts remember, by `rememberedKey`, as snapshots from that time may not be loaded. */
  readonly #remembered: ReadonlyMap<string, number>;
  /** By the requested keys. */
  readonly #known = new Map<string, SeriesStart>();

  constructor(snapshots: Snapshots, remembered: ReadonlyMap<string, number>) {
    this.#snapshots = snapshots;
    this.#remembered = remembered;
  }

  of(series: SeriesKey, coverage: Coverage): SeriesStart {
    const row = rowKey(series);
    const asked = `${row} ${series.outside !== undefined} ${series.zeroBefore} ${coverage.keys}`;
    const seriesStart = this.#known.get(asked) ?? this.#startOf(series, coverage);
    this.#known.set(asked, seriesStart);
    return seriesStart;
  }

  #startOf(series: SeriesKey, coverage: Coverage): SeriesStart {
    if (series.zeroBefore === 'series') return { sinceAt: -Infinity };
    if (series.zeroBefore === 'segment') return this.of(eventOf(series), coverage);
    const remembered =
      (series.outside ? undefined : this.#remembered.get(rememberedKey(series, coverage.keys))) ?? Infinity;
    const sinceAt = Math.min(remembered, this.#seenSince(series, coverage) + learningMs(coverage));
    // All windows of a series that was never seen are empty.
    return { sinceAt: sinceAt === Infinity ? -Infinity : sinceAt };
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

/** The key of a series with figures of these keys. */
export function rememberedKey(series: SeriesKey, keys: readonly string[]): string {
  return `${rowKey(series)} ${keys}`;
}

/** The series of all segments of the event. */
export function eventOf({ eventName }: SeriesKey): SeriesKey {
  return { ...(eventName !== undefined && { eventName }), outside: NO_SEGMENTS };
}

const NO_SEGMENTS: ReadonlySet<string> = new Set();
