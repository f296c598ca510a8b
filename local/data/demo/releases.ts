import type { Millis } from '../../../shared/runtime/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { EPOCH } from './calendar.ts';

/** The shop releases every second Wednesday at 08:00 UTC, on all platforms at once. */
const EVERY = 14 * DAY_MS;
const FIRST: Millis = EPOCH + 2 * DAY_MS + 8 * HOUR_MS;
const A_YEAR_OF_RELEASES = 26;

/** Index of the newest release at `at`, from the epoch. */
export function releaseAt(at: Millis): number {
  return Math.floor((at - FIRST) / EVERY);
}

export function releasedAt(release: number): Millis {
  return FIRST + release * EVERY;
}

/** Version of a release, such as `7.23.0`. The major version increases once a year. */
export function versionOf(release: number): string {
  const year = Math.floor(release / A_YEAR_OF_RELEASES);
  return `${1 + year}.${release - year * A_YEAR_OF_RELEASES}.0`;
}
