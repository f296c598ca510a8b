import type { Filter } from '../../analytics/filters.ts';
import type { Aggregation, GroupBy } from '../../analytics/grouping.ts';
import type { Endpoint } from '../rules/metrics.ts';
import type { Calendar, Window } from '../time/window.ts';

/**
 * What an analytics question is about, whenever. Its windows begin and end as those of `calendar` do; `eventNames` asks
 * for each of these events by itself.
 */
export interface Subject {
  app: string;
  endpoint: Endpoint;
  calendar: Calendar;
  filters: Filter[];
  eventNames?: string[];
  segmentBy?: GroupBy;
  /** Rows come apart by these attributes too, at most three, none of them that of `segmentBy`. */
  groupBy?: GroupBy[];
  aggregations: Aggregation[];
}

/**
 * One analytics question: figures of `window` and, for the change from period to period, of `previous`, the
 * window that ends where it starts.
 */
export interface Question extends Subject {
  window: Window;
  previous: Window;
}

/** One question about many windows, each by itself: windows in a row, oldest first. */
export interface RangeQuestion extends Subject {
  windows: Window[];
  /**
   * All rows are wanted in as few calls as can be. They may be too many for the service, which then refuses: nothing is
   * concluded from that about other ranges.
   */
  inOneAnswer?: true;
}

/** A row's numbers by their row key; `null` where the service had none. */
export type Figures = Record<string, number | null>;

/**
 * One row of an answer. A group that only one of the two windows had has no figures for the other. `isRest` marks the
 * row into which a service folds the segments beyond the asked-for number: it is no segment.
 */
export interface ReadingRow {
  isRest?: true;
  eventName?: string;
  segment?: string;
  /** One value for each of the question's `groupBy`; `null` where values past the asked-for number were folded. */
  groups?: (string | null)[];
  current?: Figures;
  previous?: Figures;
}

/**
 * The rows that one question brought for one window, kept as they were when they were read (`readAt`) and never
 * changed. Shared by all rules of the `family`: all that differ only in event name, segment value or metric.
 * `rereadAt` is the scheduled time of the tick that asked again for a window that was read before; `isAlone`: nobody
 * asked for the window before it along with it.
 */
export interface Snapshot {
  family: string;
  window: Window;
  readAt: number;
  rereadAt?: number;
  isAlone?: true;
  eventNames?: string[];
  /** Row keys that were asked for. */
  keys: string[];
  rows: ReadingRow[];
}

/** A metric's figure for one window: for a mean also the weight it is a mean over. */
export interface Reading {
  value: number | null;
  weight: number | null;
}

/** Which series of a family: the event name and segment it belongs to; a ratio is that of `eventName` to `per`. */
export interface SeriesKey {
  eventName?: string;
  per?: string;
  segment?: string;
  /** All segments but these, taken together. */
  outside?: ReadonlySet<string>;
  /** What counts as zero before it was first seen: the segment, from when on its event is known, or the whole series. */
  zeroBefore?: 'segment' | 'series';
}

/** A reading with the window that it is of. */
export interface WindowReading {
  window: Window;
  reading: Reading;
}

/** What a baseline was made of. */
export type BaselineOrigin = { of: 'window' } | { of: 'median'; windows: number } | { of: 'model' };

/** What a window is held against, and what that was made of. `window` is the newest window in it. */
export interface Baseline extends WindowReading {
  origin: BaselineOrigin;
}
