import type { Deviation, Dispersion } from './deviation.ts';
import { standardised } from './dispersion.ts';
import { tailOfStudent } from './past-tail.ts';

/**
 * How much two parts of one app differ in the same windows for reasons other than a fault. Days and campaigns affect
 * both, so this is less than the variation over time: early adopters differ from others by about a tenth, and events
 * come in twos, as who fails tries again.
 */
export const BETWEEN_SEGMENTS: Dispersion = { clustering: 2, tau: 0.1 };

/** With few degrees of freedom, because the dispersion is assumed: the tail is heavier than that of a normal variate. */
const TAIL = tailOfStudent(12);

/** The test of two samples of the same windows: `change / sqrt(tau^2 + clustering * chance)`, two-sided. */
export function twoSampleTest(deviation: Deviation): { z: number; p: number } {
  const z = standardised(deviation, BETWEEN_SEGMENTS);
  return { z, p: TAIL(z) };
}
