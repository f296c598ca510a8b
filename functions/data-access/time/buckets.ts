import type { BucketUnit } from '../../../shared/contract/attributes.ts';
import { DAY_MS, WEEK_MS } from '../../../shared/units/durations.ts';
import { type OffsetPeriod, PARTS_OF_DAY, partStart } from './calendar.ts';

/**
 * The start of a bucket. A part of a day starts at its UTC instant, because an hour that daylight saving time repeats is
 * two buckets; a day, week or month starts at its local time read as UTC. Queries compute the same numbers.
 */
export type BucketStart = number;

/** One step of the time axis: a bucket of each requested unit. */
export interface Tick {
  readonly starts: readonly BucketStart[];
  readonly labels: readonly string[];
}

/** 0001-01-01, a Monday: counted from there, whole weeks begin on Mondays and no time is negative. */
export const FIRST_MONDAY = -62_135_596_800_000;

function startOf(unit: BucketUnit, local: number, offset: number): BucketStart {
  const length = PARTS_OF_DAY[unit];
  if (length !== undefined) return partStart(local - offset, offset, length);
  if (unit === 'month') return Date.UTC(new Date(local).getUTCFullYear(), new Date(local).getUTCMonth());
  if (unit === 'week') return FIRST_MONDAY + Math.floor((local - FIRST_MONDAY) / WEEK_MS) * WEEK_MS;
  return Math.floor(local / DAY_MS) * DAY_MS;
}

function labelOf(unit: BucketUnit, start: BucketStart, offset: number): string {
  if (PARTS_OF_DAY[unit] === undefined)
    return new Date(start).toISOString().slice(0, unit === 'month' ? 7 : 10);
  return `${new Date(start + offset).toISOString().slice(0, 19)}${signed(offset)}`;
}

function signed(offset: number): string {
  const minutes = Math.abs(Math.round(offset / 60_000));
  const two = (number: number) => String(number).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** The length of the shortest of the units, at most a day. */
export const stepOf = (units: readonly BucketUnit[]): number =>
  Math.min(DAY_MS, ...units.map((unit) => PARTS_OF_DAY[unit] ?? DAY_MS));

/** Every step of the axis in time order, empty ones included; without units one step that holds everything. */
export function ticks(units: readonly BucketUnit[], periods: readonly OffsetPeriod[]): readonly Tick[] {
  if (units.length === 0) return [{ starts: [], labels: [] }];
  const step = stepOf(units);
  const found = new Map<string, Tick>();
  for (const { from, to, offset } of periods) {
    const first = Math.floor((from + offset) / step) * step;
    for (let local = first; local < to + offset && from < to; local += step) {
      const starts = units.map((unit) => startOf(unit, local, offset));
      if (found.has(tickKey(starts))) continue;
      const labels = units.map((unit, at) => labelOf(unit, starts[at] ?? 0, offset));
      found.set(tickKey(starts), { starts, labels });
    }
  }
  return [...found.values()];
}

export const tickKey = (starts: readonly BucketStart[]): string => starts.join();
