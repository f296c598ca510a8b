import type { BucketUnit } from '../../../shared/contract/attributes.ts';
import { DAY_MS, HOUR_MS, WEEK_MS } from '../../../shared/units/durations.ts';
import { hourStart, type OffsetPeriod } from './calendar.ts';

/**
 * The start of a bucket. An hour starts at its UTC instant, because an hour that daylight saving time repeats is two
 * buckets; a day, week or month starts at its local time read as UTC. Queries compute the same numbers.
 */
export type BucketStart = number;

/** One step of the time axis: a bucket of each requested unit. */
export interface Tick {
  readonly starts: readonly BucketStart[];
  readonly labels: readonly string[];
}

/** 0001-01-01, a Monday: counted from there, whole weeks begin on Mondays and no time is negative. */
export const FIRST_MONDAY = -62_135_596_800_000;

const STARTS: Readonly<Record<BucketUnit, (local: number, offset: number) => BucketStart>> = {
  hour: (local, offset) => hourStart(local - offset, offset),
  day: (local) => Math.floor(local / DAY_MS) * DAY_MS,
  week: (local) => FIRST_MONDAY + Math.floor((local - FIRST_MONDAY) / WEEK_MS) * WEEK_MS,
  month: (local) => Date.UTC(new Date(local).getUTCFullYear(), new Date(local).getUTCMonth()),
};

const LABELS: Readonly<Record<BucketUnit, (start: BucketStart, offset: number) => string>> = {
  hour: (start, offset) => `${new Date(start + offset).toISOString().slice(0, 19)}${signed(offset)}`,
  day: (start) => new Date(start).toISOString().slice(0, 10),
  week: (start) => new Date(start).toISOString().slice(0, 10),
  month: (start) => new Date(start).toISOString().slice(0, 7),
};

function signed(offset: number): string {
  const minutes = Math.abs(Math.round(offset / 60_000));
  const two = (number: number) => String(number).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/**
 * Every step of the axis in time order, empty ones included; without units one step that holds everything.
 */
export function ticks(units: readonly BucketUnit[], periods: readonly OffsetPeriod[]): readonly Tick[] {
  if (units.length === 0) return [{ starts: [], labels: [] }];
  const step = units.includes('hour') ? HOUR_MS : DAY_MS;
  const found = new Map<string, Tick>();
  for (const { from, to, offset } of periods) {
    const first = Math.floor((from + offset) / step) * step;
    for (let local = first; local < to + offset && from < to; local += step) {
      const starts = units.map((unit) => STARTS[unit](local, offset));
      if (found.has(tickKey(starts))) continue;
      found.set(tickKey(starts), {
        starts,
        labels: starts.map((start, at) => labelOf(units[at], start, offset)),
      });
    }
  }
  return [...found.values()];
}

export const tickKey = (starts: readonly BucketStart[]): string => starts.join();

const labelOf = (unit: BucketUnit | undefined, start: BucketStart, offset: number): string =>
  unit === undefined ? '' : LABELS[unit](start, offset);
