import { twoDigits } from './scaled-bounds.ts';

/** Fewer alerts say nothing of what makes them. */
const LEAST_ALERTS = 4;

/** How much smaller the windows of alerts are than all, where it is small numbers that make them. */
const SMALLER = 0.5;

/**
 * The `minimum.baseline` that keeps half of the alerts away where small numbers make them; `undefined` where they do
 * not. `fired`: what the baselines of the alerts count; `judged`: those of all windows.
 */
export function minimumFor(fired: number[], evaluated: number[]): number | undefined {
  const [typical, usual] = [median(fired), median(evaluated)];
  if (fired.length < LEAST_ALERTS || typical === undefined || usual === undefined) return undefined;
  if (typical >= usual * SMALLER) return undefined;
  const minimum = Math.ceil(twoDigits(typical * 1.05));
  return minimum > typical ? minimum : Math.ceil(typical) + 1;
}

function median(values: number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
