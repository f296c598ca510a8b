import { twoDigits } from './scaled-bounds.ts';

/** Fewer alerts do not show a cause. */
const LEAST_ALERTS = 4;

/** Small numbers are the cause if the windows of alerts are this much smaller than all windows. */
const SMALLER = 0.5;

/**
 * The `minimum.baseline` that removes half of the alerts if small numbers cause them, else `undefined`.
 * `fired`: sample sizes of the alerts' baselines; `evaluated`: those of all windows.
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
