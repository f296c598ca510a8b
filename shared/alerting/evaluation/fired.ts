import type { BaselineOrigin, Reading } from '../readings/reading.ts';
import type { Window } from '../time/window.ts';
import type { Drivers } from './drivers.ts';

export interface Fired {
  /** End of the window that made it fire, and of the first breach that counted towards it. */
  windowEndAt: number;
  firstEndAt: number;
  baselineWindow: Window;
  origin: BaselineOrigin;
  baseline: Reading;
  direction: 'up' | 'down';
  /** What the season had made likely, and what came; `null` where no season took part. */
  gap: { from: number; to: number } | null;
  /** What drove it; absent where that is not known. */
  drivers?: Drivers | undefined;
  /** The revision of the alert that it fired from: tells one fire from another for the same window. */
  fromRevision?: number | undefined;
  /** Windows since then that were away from the baseline, and how many of them were at 0; absent: none yet. */
  lasted?: { windows: number; atZero: number } | undefined;
}
