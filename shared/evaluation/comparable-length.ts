import type { WindowReading } from '../readings/reading.ts';
import { hoursOf } from '../time/window.ts';
import type { Evaluation } from './evaluation.ts';

/** The factor that scales an amount of `baseline` to the hours of `current`; 1 for means. */
export function stretchOf(current: WindowReading, baseline: WindowReading): number {
  return current.weight === null ? hoursOf(current.window) / hoursOf(baseline.window) : 1;
}

/** The baseline value scaled to the hours of the window. */
export function comparableOf(evaluation: Evaluation): number | null {
  const { current, baseline } = evaluation;
  return baseline.value === null ? null : baseline.value * stretchOf(current, baseline);
}
