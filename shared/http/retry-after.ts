/** The longest wait, whatever the header says: it may have the wrong unit. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * The wait of a `Retry-After` header (seconds or an HTTP date), in milliseconds from `now`, an hour at most.
 * `undefined` if the header is missing or invalid.
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
