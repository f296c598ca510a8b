import type { Filter } from '../contract/filters.ts';
import type { Aggregation, GroupBy } from '../contract/grouping.ts';
import type { Endpoint } from '../rules/metric.ts';
import type { Calendar, Window } from '../time/window.ts';

/**
 * The subject of an analytics question, without its windows, which follow `calendar`. With `eventNames`, each event has
 * its own rows.
 */
export interface Subject {
  app: string;
  endpoint: Endpoint;
  calendar: Calendar;
  filters: Filter[];
  eventNames?: string[];
  segmentBy?: GroupBy;
  /** The second attribute of segments that are values of two. */
  thenBy?: GroupBy;
  /** Up to three further attributes to group by, other than that of `segmentBy`. */
  groupBy?: GroupBy[];
  aggregations: Aggregation[];
  /** For computed metrics, whose `aggregations` are empty: what to ask instead, each with its own endpoint and filters. */
  parts?: QuestionPart[];
}

/** One figure of a computed metric. The row keys of its answer start with its name. */
export interface QuestionPart {
  name: string;
  endpoint: Endpoint;
  filters: Filter[];
  eventName?: string;
  aggregations: Aggregation[];
}

/**
 * One analytics question: the figures of `window` and, for comparison, of `previous`, the window before it.
 */
export interface Question extends Subject {
  window: Window;
  previous: Window;
}

/** One question about many consecutive windows, oldest first, each with its own figures. */
export interface RangeQuestion extends Subject {
  windows: Window[];
  /**
   * Requests all rows in as few calls as possible. The service may refuse if there are too many, which says nothing about
   * other ranges.
   */
  inOneAnswer?: true;
}

/** The figures of a row by row key; `null` if the service has none. */
export type Figures = Record<string, number | null>;

/**
 * One row of an answer. A group in only one of the two windows has no figures for the other. `isRest` marks the row that
 * folds the segments beyond the requested number. It is not a segment.
 */
export interface ReadingRow {
  isRest?: true;
  eventName?: string;
  segment?: string;
  /** One value for each attribute of `groupBy`; `null` for values that are folded. */
  groups?: (string | null)[];
  current?: Figures;
  previous?: Figures;
}

/**
 * The rows of one question for one window, as they were at `readAt`. Immutable. Shared by all rules of the `family`, which
 * differ only in event name, segment value or metric.
 * `rereadAt`: the scheduled time of the tick that read the window again. `isAlone`: without the window before.
 */
export interface Snapshot {
  family: string;
  window: Window;
  readAt: number;
  rereadAt?: number;
  isAlone?: true;
  eventNames?: string[];
  /** The requested row keys. */
  keys: string[];
  rows: ReadingRow[];
}

/**
 * The figure of a metric for one window. For a mean or a quotient, also its weight. `events`: for a sum over events, how
 * many there are.
 */
export interface Reading {
  value: number | null;
  weight: number | null;
  events?: number | undefined;
}

/** A series of a family, by event name and segment. With `per` it is the ratio of `eventName` to `per`. */
export interface SeriesKey {
  eventName?: string;
  per?: string;
  segment?: string;
  /** All segments except these, as one. */
  outside?: ReadonlySet<string>;
  /** What is zero before it is first seen: the segment, once its event is known, or the whole series. */
  zeroBefore?: 'segment' | 'series';
}

/** A reading with its window. */
export interface WindowReading {
  window: Window;
  reading: Reading;
}

/** The readings of a baseline. */
export type BaselineOrigin = { of: 'window' } | { of: 'median'; windows: number } | { of: 'model' };

/** The baseline of a window, and its readings. `window` is the newest of their windows. */
export interface Baseline extends WindowReading {
  origin: BaselineOrigin;
}
