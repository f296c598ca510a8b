import type { MetricSource } from '../../shared/alerting/ports.ts';
import type { ReadingRow } from '../../shared/alerting/reading.ts';
import type { Rule } from '../../shared/alerting/rule.ts';
import type { Window } from '../../shared/alerting/window.ts';
import type { Clock } from '../../shared/runtime/clock.ts';

/** The past as rules need it, read once and as settled as it is today. Kept in memory; never changed. */
export interface Archive {
  /** The rows of a window with `current` figures alone; `undefined` where the archive does not reach. */
  rowsOf(family: string, window: Window): ReadingRow[] | undefined;
  /** When the newest event that was recorded by `at` was recorded; `null` before the first that is known. */
  newestDataAt(app: string, at: number): number | null;
  /** Calls that reading it took, by app. */
  calls: ReadonlyMap<string, number>;
}

export interface ArchiveRequest {
  /** Every rule that will be replayed over it, of one rule set or of several. */
  rules: Rule[];
  /** Epoch milliseconds; runs in `(from, to]` will be replayed. */
  from: number;
  to: number;
  sourceFor: (app: string) => MetricSource;
  clock: Clock;
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal;
}

/**
 * Reads all that rules look at from `from` to `to` and what their baselines look back on, with the fewest calls. Throws
 * `UpstreamError` with a sentence where not all of it can be had: nothing is judged on half of the past.
 */
export async function readArchive(_request: ArchiveRequest): Promise<Archive> {
  throw new Error('comes with the next commits');
}
