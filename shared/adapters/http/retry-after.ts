/** Nobody is left alone for longer, whatever they ask for: they may have mistaken the unit. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * What a `Retry-After` header asks for, in milliseconds from `now`: its value is seconds or an HTTP date. An
 * hour at most. `undefined` where there is none that can be read.
 */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  const value = header?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return bounded(Math.ceil(Number(value) * 1000));
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : bounded(date - now);
}

function bounded(waitMs: number): number {
  return Math.min(LONGEST_WAIT_MS, Math.max(0, waitMs));
}
