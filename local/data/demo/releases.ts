import type { Millis } from '../../../shared/runtime/clock.ts';
import { DAY, EPOCH, HOUR } from './calendar.ts';

/** The shop releases every second Wednesday at 08:00 UTC, on all platforms at once. */
const EVERY = 14 * DAY;
const FIRST: Millis = EPOCH + 2 * DAY + 8 * HOUR;
const A_YEAR_OF_RELEASES = 26;

/** The newest release out at `at`, counted from the epoch. */
export function releaseAt(at: Millis): number {
  return Math.floor((at - FIRST) / EVERY);
}

export function releasedAt(release: number): Millis {
  return FIRST + release * EVERY;
}

/** The major version goes up once a year: `7.23.0`. What came before the first release is a `0.x.0`. */
export function versionOf(release: number): string {
  const year = Math.floor(release / A_YEAR_OF_RELEASES);
  return `${1 + year}.${release - year * A_YEAR_OF_RELEASES}.0`;
}
