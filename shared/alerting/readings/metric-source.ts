import type { Aggregation } from '../../analytics/grouping.ts';
import type { CallBudget } from './call-budget.ts';
import type { Question, RangeQuestion, ReadingRow } from './reading.ts';

/**
 * An expected failure is a value: it becomes the verdict `failed` or `inconclusive`, never "clear". `isRefusal`: this
 * question was refused; one about other metrics may be answered.
 */
export type ReadResult<T> =
  | { kind: 'read'; value: T }
  /** `retryable`: the service is in trouble, and other questions will fare no better now. */
  | { kind: 'failed'; reason: string; retryable: boolean; isRefusal?: true }
  | { kind: 'budget-spent'; reason: string };

/** `unsupported`: this service does not part figures by the windows asked for, and each must be asked for by itself. */
export type RangeResult = ReadResult<ReadingRow[][]> | { kind: 'unsupported'; reason: string };

/** How a source comes by the figures of a metric. */
export type Means =
  | { kind: 'asked' }
  | { kind: 'derived'; how: string }
  | { kind: 'refused'; reason: string };

export interface MetricSource {
  /** Every row of the answer, with figures of both windows. */
  read(question: Question, budget?: CallBudget): Promise<ReadResult<ReadingRow[]>>;
  /** The rows of each window, in the order of the windows, with `current` figures alone; rows of nothing left out. */
  readRange(question: RangeQuestion, budget?: CallBudget): Promise<RangeResult>;
  /** When the app's newest event after `since` was recorded; `null` if there is none. */
  readNewestEventAt(app: string, since: number): Promise<ReadResult<number | null>>;
  /** How it comes by a metric that it was asked for; `undefined` of one that was not, or brought no rows yet. */
  meansFor?(asked: Pick<Question, 'app' | 'endpoint'>, aggregation: Aggregation): Means | undefined;
  /** How many requests it has sent, retries and further pages included; a source without it sends none. */
  callsMade?(): number;
}
