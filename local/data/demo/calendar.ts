import { Temporal } from 'temporal-polyfill';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { lazyBy } from '../../../shared/units/lazy.ts';
import { drawsFor, gammaAroundOne } from './draws.ts';

/** A Monday. Blocks and releases are counted from here. */
export const EPOCH: Millis = Date.UTC(2020, 0, 6);
export const BLOCK = 28 * DAY_MS;
export const DEMO_ZONE = 'Europe/Berlin';

const DAY_NOISE = 0.05;
const HOUR_NOISE = 0.08;

/** Visits by local hour, relative to an average hour. The week is scaled to a mean of 1. */
const WORKDAY = [
  0.3, 0.17, 0.11, 0.09, 0.11, 0.25, 0.55, 0.85, 0.95, 0.95, 1.0, 1.1, 1.3, 1.2, 1.05, 1.05, 1.15, 1.4, 1.65,
  1.9, 2.05, 1.9, 1.3, 0.7,
];
const WEEKEND = [
  0.5, 0.33, 0.2, 0.12, 0.1, 0.13, 0.25, 0.5, 0.95, 1.45, 1.75, 1.8, 1.7, 1.65, 1.65, 1.7, 1.75, 1.8, 1.85,
  2.0, 2.1, 1.85, 1.3, 0.75,
];
const WEEK_MEAN = (5 * sum(WORKDAY) + 2 * sum(WEEKEND)) / (7 * 24);

/** Traffic of the hour that begins at `hourAt`, relative to an average hour: season times noise, with a mean of 1. */
export type Intensity = (hourAt: Millis) => number;

export function intensityFor(seed: number): Intensity {
  const dayNoise = lazyBy((day: string) => gammaAroundOne(drawsFor(seed, 'day', day), DAY_NOISE));
  return lazyBy((hourAt: Millis) => {
    const local = Temporal.Instant.fromEpochMilliseconds(hourAt).toZonedDateTimeISO(DEMO_ZONE);
    const season = (local.dayOfWeek > 5 ? WEEKEND : WORKDAY)[local.hour] ?? 1;
    const hourNoise = gammaAroundOne(drawsFor(seed, 'hour', hourAt), HOUR_NOISE);
    return (season / WEEK_MEAN) * dayNoise(local.toPlainDate().toString()) * hourNoise;
  });
}

/** The size of the shop relative to 2025. It grows 8% a year. */
export function growthAt(at: Millis): number {
  return 1.08 ** ((at - Date.UTC(2025, 0, 1)) / (365.25 * DAY_MS));
}

export function hourOf(at: Millis): Millis {
  return Math.floor(at / HOUR_MS) * HOUR_MS;
}

/** Index of the 28-day block that contains `at`, from the epoch. */
export function blockOf(at: Millis): number {
  return Math.floor((at - EPOCH) / BLOCK);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

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
