import type { RuleSet } from '../../shared/alerting/ports.ts';
import type { Archive } from './archive.ts';
import type { ReplayEvent } from './replayed.ts';

export interface ReplayOptions {
  ruleSet: RuleSet;
  /** Epoch milliseconds; runs in `(from, to]` are replayed. */
  from: number;
  to: number;
  /** Read for these rules or for more. */
  figures: Archive;
  onProgress?: (done: number, total: number) => void;
  /** Ends the replay between two runs, by throwing its reason. */
  signal?: AbortSignal;
}

/**
 * Lets the rules loose on the past: every run of every cadence in its order and at its scheduled time, planned, judged
 * and announced by the functions that run in AWS, over stores in memory. The same rules, figures and span give the same
 * events.
 */
// biome-ignore lint/correctness/useYield: comes with the next commits
export async function* replay(_options: ReplayOptions): AsyncGenerator<ReplayEvent> {
  throw new Error('comes with the next commits');
}
