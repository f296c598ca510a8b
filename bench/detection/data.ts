import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import * as z from 'zod';
import type { Window } from '../../shared/time/window.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { hasLabels, pointsOf, readSeries, type Series, type SeriesGrain, timeOf } from './series.ts';

export interface Data {
  /** Series for injected changes. Some have known incidents. */
  series: Series[];
  /** Series by hour whose every window is labelled as normal or anomalous. */
  labelled: Series[];
  /** How many young apps to generate. */
  youngApps: Record<SeriesGrain, number>;
}

/** Hours take 24 times as long. */
export const YOUNG_APPS = { day: 200, hour: 60 };

/** Reads `dir/series` and `dir/labelled`, or `dir` itself if it holds the files. */
export function readData(dir: string): Data {
  const folders = [dir, join(dir, 'series'), join(dir, 'labelled')].filter((each) => existsSync(each));
  const data = {
    series: folders.flatMap(readSeries),
    labelled: folders.flatMap(readLabelled),
    youngApps: YOUNG_APPS,
  };
  if (data.series.length + data.labelled.length > 0) return data;
  throw new TypeError(
    `no series in "${dir}": it needs NAME_hourly.csv (or _daily, _30min, _5min) with timestamp,value, ` +
      'or files with TimeStamp,Value,Label, in the folder itself or in its folders "series" and "labelled"',
  );
}

/** The files of a folder with the columns `TimeStamp,Value,Label`. */
export function readLabelled(dir: string): Series[] {
  const files = readdirSync(dir).filter((file) => file.endsWith('.csv'));
  return files.toSorted().flatMap((file) => {
    const text = readFileSync(join(dir, file), 'utf8');
    return hasLabels(text) ? [labelledSeries(file, text)] : [];
  });
}

const MISSING = z.literal('').transform(() => null);
const rowSchema = z
  .object({
    timestamp: z.string(),
    value: z.union([MISSING, z.coerce.number()]),
    // An empty label counts as normal.
    label: z.coerce.number().pipe(z.union([z.literal(0), z.literal(1)])),
  })
  .transform(({ timestamp, value, label }) => ({ at: timeOf(timestamp), value, isAnomalous: label === 1 }));

function labelledSeries(file: string, text: string): Series {
  const lines: unknown[] = parse(text, {
    columns: (names: string[]) => names.map((name) => name.toLowerCase()),
    ...{ bom: true, trim: true, skip_empty_lines: true, relax_column_count: true },
  });
  const rows = lines
    .map((line, i) => {
      try {
        return rowSchema.parse(line);
      } catch (cause) {
        throw new TypeError(`${file}, row ${i + 1}: needs a time, a number, and 0 or 1 as its label`, {
          cause,
        });
      }
    })
    .toSorted((a, b) => a.at - b.at);
  const span = spanOf(rows.map(({ at }) => at));
  if (HOUR_MS % span !== 0)
    throw new TypeError(`${file}: rows are ${span / 60_000} minutes apart, but must divide an hour`);
  const known = rows.flatMap(({ at, value }) => (value === null ? [] : [{ at, value }]));
  const kind = known.every(({ value }) => Number.isInteger(value)) ? 'count' : 'mean';
  return {
    ...{ name: file.replace(/\.csv$/, ''), grain: 'hour', kind, isLabelled: true },
    points: pointsOf(known, span, 'hour', kind),
    labels: stretchesOf(
      rows.flatMap(({ at, isAnomalous }) => (isAnomalous ? [at] : [])),
      span,
    ),
  };
}

/** The most frequent distance of two rows. */
function spanOf(times: number[]): number {
  const distances = times.slice(1).map((at, i) => at - (times[i] ?? at));
  const groups = [...Map.groupBy(distances, (distance) => distance)];
  const [span] = groups.toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [HOUR_MS];
  return span;
}

/** Consecutive labelled rows are one stretch. */
function stretchesOf(times: number[], span: number): Window[] {
  const stretches: Window[] = [];
  for (const at of times) {
    const last = stretches.at(-1);
    if (last?.endAt === at) last.endAt = at + span;
    else stretches.push({ startAt: at, endAt: at + span });
  }
  return stretches;
}
