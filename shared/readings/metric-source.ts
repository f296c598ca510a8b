import type { CatalogueEntry } from '../contract/records.ts';
import type { Question, RangeQuestion, ReadingRow, Subject } from './reading.ts';

/**
 * Expected failures are values. They become the verdict `failed` or `inconclusive`, never "clear". `isRefusal`: the service
 * refused this question, but may answer one about other metrics.
 */
export type ReadResult<T> =
  | { kind: 'read'; value: T }
  /** `retryable`: the service has a problem that affects other questions too. */
  | { kind: 'failed'; reason: string; retryable: boolean; isRefusal?: true }
  | { kind: 'budget-spent'; reason: string };

/** `unsupported`: the service cannot group by these windows, so each needs its own question. */
export type RangeResult = ReadResult<ReadingRow[][]> | { kind: 'unsupported'; reason: string };

export interface MetricSource {
  /** All rows of the answer, with the figures of both windows. */
  read(question: Question, budget?: CallBudget): Promise<ReadResult<ReadingRow[]>>;
  /** The rows of each window, in order, with only `current` figures. Empty rows are omitted. */
  readRange(question: RangeQuestion, budget?: CallBudget): Promise<RangeResult>;
  /** The time of the app's newest event after `since`; `null` if there is none. */
  readNewestEventAt(app: string, since: number): Promise<ReadResult<number | null>>;
  /** The events of the last 30 days with their properties, if the service lists them: an addition to the interface. */
  readCatalogue?(app: string): Promise<ReadResult<CatalogueEntry[]>>;
  /** The newest events or sessions that pass the filters, as the service lists them. */
  readRecords?(list: ListedRecords, most: number): Promise<ReadResult<object[]>>;
  /** When its data begin, if known: time before that is unknown, not zero. */
  beginsAt?: number;
  /** The number of requests so far, including retries and pages. Sources without it send none. */
  callsMade?(): number;
}

export type ListedRecords = Pick<Subject, 'app' | 'endpoint' | 'filters'>;

/**
 * The part of an hour's calls that a question may use: `whole` for required questions. `spare` for optional ones, which
 * must leave half of the calls for the rest of the hour.
 */
export type CallBudget = 'whole' | 'spare';

/** The calls that `budget` may use, of `perHour` in total. */
export function callsWithin(budget: CallBudget, perHour: number): number {
  return budget === 'whole' ? perHour : Math.floor(perHour / 2);
}
