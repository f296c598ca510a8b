import type { Reading } from '../readings/reading.ts';
import { hoursOf, type Window } from '../time/window.ts';
import type { Evaluation } from './evaluation.ts';

/** The factor that scales an amount of `baseline` to the hours of `window`; 1 for means. */
export function stretchOf({ weight }: Reading, window: Window, baseline: Window): number {
  return weight === null ? hoursOf(window) / hoursOf(baseline) : 1;
}

/** The baseline value scaled to the hours of the window. */
export function comparableOf(evaluation: Evaluation): number | null {
  const { current, window, baseline, baselineWindow } = evaluation;
  return baseline.value === null ? null : baseline.value * stretchOf(current, window, baselineWindow);
}
