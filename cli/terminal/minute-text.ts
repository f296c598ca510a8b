import type { Millis } from '../../shared/runtime/clock.ts';

/** "2026-03-01 06:00 UTC". */
export function minuteText(at: Millis): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
