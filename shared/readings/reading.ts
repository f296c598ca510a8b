import * as z from 'zod';
import type { Filter } from '../contract/filters.ts';
import type { Aggregation, GroupBy } from '../contract/grouping.ts';
import type { Endpoint } from '../rules/metric.ts';
import { type Calendar, type Window, windowSchema } from '../time/window.ts';

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
  /** The users of each event are those who reached it after the one before it, in this time since the first. */
  funnel?: { steps: string[]; minutes: number };
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

/** One question: the figures of `window` and, for comparison, of `previous`, the window before it. */
export interface Question extends Subject {
  window: Window;
  previous: Window;
}

/** One question about many consecutive windows, oldest first, each with its own figures. */
export interface RangeQuestion extends Subject {
  windows: Window[];
  /** Requests all rows in as few calls as possible. A refusal of too many says nothing about other ranges. */
  inOneAnswer?: true;
}

const figuresSchema = z.record(z.string(), z.number().nullable());
/** The figures of a row by row key; `null` if the service has none. */
export type Figures = z.infer<typeof figuresSchema>;

const readingRowSchema = z.object({
  eventName: z.string().exactOptional(),
  /** It folds the segments beyond the requested number, so it is not a segment. */
  isRest: z.literal(true).exactOptional(),
  segment: z.string().exactOptional(),
  /** One value for each attribute of `groupBy`; `null` for values that are folded. */
  groups: z.array(z.string().nullable()).exactOptional(),
  current: figuresSchema.exactOptional(),
  previous: figuresSchema.exactOptional(),
});
export const PERIODS = ['current', 'previous'] as const;
export type Period = (typeof PERIODS)[number];
/** One row of an answer. A group in only one of the two windows has no figures for the other. */
export type ReadingRow = z.infer<typeof readingRowSchema>;

export const snapshotSchema = z.object({
  family: z.string(),
  window: windowSchema,
  readAt: z.number(),
  /** The scheduled time of the tick that read the window again. */
  rereadAt: z.number().exactOptional(),
  /** Without the window before. */
  isAlone: z.literal(true).exactOptional(),
  eventNames: z.array(z.string()).exactOptional(),
  /** The requested row keys. */
  keys: z.array(z.string()),
  rows: z.array(readingRowSchema),
});
/**
 * The rows of one question for one window, as they were at `readAt`. Immutable. Shared by all rules of the `family`, which
 * differ only in event name, segment value or metric.
 */
export type Snapshot = z.infer<typeof snapshotSchema>;

export const readingSchema = z.object({
  value: z.number().nullable(),
  /** Of a mean or a quotient. */
  weight: z.number().nullable(),
  /** Of a sum over events: how many there are. */
  events: z.number().optional(),
});
/** The figure of a metric for one window. */
export type Reading = z.infer<typeof readingSchema>;

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

const originSchema = z.discriminatedUnion('of', [
  z.object({ of: z.literal('window') }),
  z.object({ of: z.literal('median'), windows: z.number() }),
  z.object({ of: z.literal('model') }),
  /** Another segment, or all others, in the window itself. */
  z.object({ of: z.literal('segments'), segment: z.string().nullable() }),
]);
/** The readings of a baseline. */
export type BaselineOrigin = z.infer<typeof originSchema>;

export const windowReadingSchema = readingSchema.extend({ window: windowSchema });
export type WindowReading = z.infer<typeof windowReadingSchema>;

export const baselineSchema = windowReadingSchema.extend({ origin: originSchema });
/** The baseline of a window, and its readings. `window` is the newest of their windows. */
export type Baseline = z.infer<typeof baselineSchema>;
