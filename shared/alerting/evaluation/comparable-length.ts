import type { Reading } from '../readings/reading.ts';
import { hoursOf, type Window } from '../time/window.ts';
import type { Evaluation } from './evaluation.ts';

/**
 * What an amount of `baseline` is to be multiplied by to be one of as many hours as `window` has. A mean is no amount: its
 * window's length says nothing about it.
 */
export function stretchOf({ weight }: Reading, window: Window, baseline: Window): number {
  return weight === null ? hoursOf(window) / hoursOf(baseline) : 1;
}

/** The baseline that a window was held against: in as many hours as the window has. */
export function comparableOf(evaluation: Evaluation): number | null {
  const { current, window, baseline, baselineWindow } = evaluation;
  return baseline.value === null ? null : baseline.value * stretchOf(current, window, baselineWindow);
}
