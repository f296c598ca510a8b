import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Occasion } from '../../shared/statistics/occasions.ts';
import type { Window } from '../../shared/time/window.ts';
import { DAY_MS, HOUR_MS, WEEK_MS } from '../../shared/units/durations.ts';
import { withOccasions } from './countries.ts';

/** Minimum weeks for a series of days. */
const DAILY_FROM_WEEKS = 26;

export type SeriesGrain = 'hour' | 'day';
export const SPAN: Record<SeriesGrain, number> = { hour: HOUR_MS, day: DAY_MS };

/** One window of a series. Times without a zone are read as UTC. */
export interface Point {
  at: number;
  /** Hour of the week from Monday 00:00, or day of the week from Monday. */
  slot: number;
  /** `null` if it was not recorded. */
  value: number | null;
  /** In the calendar of the series, if it has one. */
  occasion?: Occasion | undefined;
}

export interface Series {
  name: string;
  grain: SeriesGrain;
  kind: 'count' | 'mean';
  points: Point[];
  /** Known incidents. */
  labels: Window[];
  isLabelled: boolean;
}

const FILE_SPANS = { '5min': 300_000, '30min': 1_800_000, hourly: HOUR_MS, daily: DAY_MS };
const FILE_NAME = /^(.+)_(5min|30min|hourly|daily)\.csv$/;
const labelsSchema = z.record(z.string(), z.array(z.tuple([z.string(), z.string()])));

/**
 * The series of a folder: files `NAME_SPAN.csv` with the columns `timestamp,value`, and their incidents from labels.json.
 * Files with a label column are left to `readLabelled`.
 */
export function readSeries(dir: string): Series[] {
  const files = readdirSync(dir).toSorted();
  const labels = files.includes('labels.json')
    ? labelsSchema.parse(JSON.parse(readFileSync(join(dir, 'labels.json'), 'utf8')))
    : {};
  return files.flatMap((file) => {
    const [, name, span] = FILE_NAME.exec(file) ?? [];
    if (name === undefined || span === undefined) return [];
    const spanMs = FILE_SPANS[span as keyof typeof FILE_SPANS];
    const text = readFileSync(join(dir, file), 'utf8');
    if (hasLabels(text)) return [];
    const rows = parseRows(text, file);
    const windows = (labels[file] ?? []).map(([from, to]) => ({ startAt: timeOf(from), endAt: timeOf(to) }));
    return seriesOf(name, rows, spanMs, { labels: windows, isLabelled: labels[file] !== undefined });
  });
}

export type Row = { at: number; value: number };
type Labels = Pick<Series, 'labels' | 'isLabelled'>;

/** The series by hour, by day, or both, as its rows allow. */
export function seriesOf(name: string, rows: Row[], spanMs: number, labels: Labels): Series[] {
  const kind = rows.every(({ value }) => Number.isInteger(value)) ? 'count' : 'mean';
  const cut = (grain: SeriesGrain): Series => ({
    name: `${name} by ${grain}`,
    grain,
    kind,
    points: withOccasions(name, pointsOf(rows, spanMs, grain, kind)),
    ...labels,
  });
  if (spanMs === DAY_MS) return [cut('day')];
  const [first, last] = [rows[0], rows.at(-1)];
  const isLong = first && last && last.at - first.at >= DAILY_FROM_WEEKS * WEEK_MS;
  return isLong ? [cut('hour'), cut('day')] : [cut('hour')];
}

const LABELLED_HEADER = /^\uFEFF?\s*"?timestamp"?\s*,\s*"?value"?\s*,\s*"?label"?\s*$/i;

/** Whether the columns are `TimeStamp,Value,Label`. */
export function hasLabels(text: string): boolean {
  return LABELLED_HEADER.test(text.slice(0, text.indexOf('\n')));
}

/** Skips lines without a value: nothing was recorded. */
function parseRows(text: string, file: string): Row[] {
  const rows = text
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .flatMap((line) => {
      const [time = '', value = ''] = line.split(',');
      if (value.trim() === '') return [];
      const row = { at: timeOf(time), value: Number(value) };
      if (!Number.isFinite(row.value)) throw new TypeError(`${file}: no number in "${line}"`);
      return [row];
    });
  return rows.toSorted((a, b) => a.at - b.at);
}

const ZONED = /(Z|[+-]\d\d:?\d\d)$/i;

export function timeOf(text: string): number {
  const time = text.trim().replace(' ', 'T');
  // `Date.parse` reads a date without a time as UTC.
  const at = Date.parse(time.length > 10 && !ZONED.test(time) ? `${time}Z` : time);
  if (Number.isNaN(at)) throw new TypeError(`no time: "${text}"`);
  return at;
}

/** Minimum share of a bucket's rows. A bucket with fewer rows counts as not recorded. */
const LEAST_SHARE = 3 / 4;

/**
 * Sums counts and averages means. A local hour that occurs twice in autumn stays two windows. In a sum it counts once,
 * and a day of 23 or 25 hours counts as 24 hours. Partial buckets at both ends are left out.
 */
export function pointsOf(rows: Row[], spanMs: number, grain: SeriesGrain, kind: Series['kind']): Point[] {
  const span = SPAN[grain];
  if (spanMs === span) return withGaps(rows, span);
  const buckets = new Map<number, { sum: number; rows: number }>();
  for (const { at, value } of rows) {
    const start = Math.floor(at / span) * span;
    const bucket = buckets.get(start) ?? { sum: 0, rows: 0 };
    buckets.set(start, { sum: bucket.sum + value, rows: bucket.rows + 1 });
  }
  const full = span / spanMs;
  const entries = [...buckets];
  const isEdge = (i: number) => i === 0 || i === entries.length - 1;
  return withGaps(
    entries.flatMap(([at, bucket], i) => {
      if (bucket.rows < full * (isEdge(i) ? 1 : LEAST_SHARE)) return [];
      const mean = bucket.sum / bucket.rows;
      return [{ at, value: kind === 'count' ? Math.round(mean * full) : mean }];
    }),
    span,
  );
}

function withGaps(rows: Row[], span: number): Point[] {
  const points: Point[] = [];
  let due = rows[0]?.at ?? 0;
  for (const { at, value } of rows) {
    for (; due < at; due += span) points.push({ at: due, slot: slotOf(due, span), value: null });
    points.push({ at, slot: slotOf(at, span), value });
    due = at + span;
  }
  return points;
}

function slotOf(at: number, span: number): number {
  // 1 January 1970 was a Thursday.
  return Math.floor((at + 3 * DAY_MS) / span) % (WEEK_MS / span);
}
