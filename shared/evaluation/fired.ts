import type { BaselineOrigin, Reading } from '../readings/reading.ts';
import type { Window } from '../time/window.ts';
import type { Drivers } from './drivers.ts';

export interface Fired {
  /** Ends of the window that made it fire and of the first breach that counted. */
  windowEndAt: number;
  firstEndAt: number;
  baselineWindow: Window;
  origin: BaselineOrigin;
  baseline: Reading;
  direction: 'up' | 'down';
  /** The seasonal expectation and the actual value; `null` without a season. */
  gap: { from: number; to: number } | null;
  /** Its drivers; absent if unknown. */
  drivers?: Drivers | undefined;
  /** The revision of the alert that fired; distinguishes several fires on one window. */
  fromRevision?: number | undefined;
  /** Windows since then that deviated from the baseline, and how many of them were at 0; absent: none yet. */
  lasted?: { windows: number; atZero: number } | undefined;
}
