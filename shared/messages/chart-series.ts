import * as z from 'zod';
import type { Alert } from '../alerts/alert.ts';
import { noteSchema } from '../alerts/note.ts';
import { dateBoundSchema } from '../contract/filters.ts';
import type { FigureRule } from '../rules/rule.ts';
import { CalendarWindows } from '../time/calendar-windows.ts';
import { iso } from '../time/iso.ts';
import { dateAt, endAfter, GRAINS, lastClosedWindow, type Window } from '../time/window.ts';
import { DAY_MS } from '../units/durations.ts';
import { type Chart, type Subject, WINDOWS_SHOWN } from './chart.ts';
import { pointText } from './chart-text.ts';
import { windowText } from './time-text.ts';

const moment = z.iso.datetime();
const column = z.array(z.number().nullable());

/** The series of a rule as lists with an item for each of `windows`, so that all have the same times. */
export const seriesSchema = z.object({
  ...{ title: z.string(), unit: z.string(), window: z.enum(GRAINS), zone: z.string() },
  share: z.boolean().describe('Whether the values are shares: 0.5 is 50%.'),
  modelled: z.boolean().describe('Whether low and high are the range of a model, not bounds of the rule.'),
  windows: z
    .array(z.object({ start: moment, end: moment, text: z.string() }))
    .describe('Oldest first. Each list of a series, and total, has an item for each.'),
  series: z.array(
    z.object({
      ...{ segment: z.string().nullable(), values: column, expected: column },
      low: column.describe('null: unknown, or no lower limit.'),
      high: column.describe('null: unknown, or no upper limit.'),
      ...{ breached: z.array(z.boolean()), texts: z.array(z.string()) },
    }),
  ),
  total: column.nullable().describe('Of all segments; null: there are none, or the metric does not add up.'),
  notes: z.array(noteSchema.pick({ text: true, app: true, by: true }).extend({ at: moment })),
});
export type Series = z.output<typeof seriesSchema>;

/** One series for each chart, which is `undefined` without readings. */
export function seriesOfCharts(
  subject: Subject,
  windows: readonly Window[],
  lines: { segment: string | null; chart: Chart | undefined }[],
  notes: Chart['notes'] = [],
): Series {
  const { title, unit, isShare, isModelled, calendar } = subject;
  return {
    ...{ title, unit, window: calendar.grain, zone: calendar.zone, share: isShare, modelled: isModelled },
    windows: windows.map((each) => {
      const { startAt, endAt } = each;
      return { start: iso(startAt), end: iso(endAt), text: windowText(each, calendar) };
    }),
    series: lines.map(({ segment, chart }) => {
      const byEnd = new Map(chart?.points.map((point) => [point.window.endAt, point]));
      const breaches = new Set(chart?.breached.map(({ endAt }) => endAt));
      const points = windows.map((window) => byEnd.get(window.endAt) ?? { window, value: null, band: null });
      const side = (name: 'expected' | 'low' | 'high') => points.map(({ band }) => band?.[name] ?? null);
      return {
        ...{ segment, values: points.map(({ value }) => value), expected: side('expected') },
        ...{ low: side('low'), high: side('high') },
        breached: windows.map(({ endAt }) => breaches.has(endAt)),
        texts: points.map((point) => pointText(subject, point, breaches.has(point.window.endAt))),
      };
    }),
    total: null,
    notes: notes.map(({ at, text, app, by }) => ({ text, app, by, at: iso(at) })),
  };
}

/** A month of hours, two years of days. */
const MOST_WINDOWS = 750;

const bound = dateBoundSchema.optional();
/** A time, or a date in the zone of the rule; as `until`, its end. */
export const spanSchema = z.object({
  from: bound.describe(`A time, or a date in the zone of the rule. The last ${MOST_WINDOWS} windows since.`),
  until: bound.describe('Of a date, its end.'),
});

export const MOST_SERIES = 8;

export const seriesQuerySchema = z.strictObject({
  segment: z
    .array(z.string().max(300))
    .max(MOST_SERIES)
    .default([])
    .describe(`Up to ${MOST_SERIES}. By default the most severe one and the largest.`),
  ...spanSchema.shape,
});
export type SeriesQuery = z.output<typeof seriesQuerySchema>;

/** Those of a rule that are shown first. */
const FIRST_SERIES = 5;

/** Those with the segments asked for, or else the most severe one of `series` and the largest. */
export function chosenIn(series: Alert[], segments: string[]): Alert[] {
  const asked = segments.flatMap((each) => series.find(({ segment }) => segment === each) ?? []);
  if (asked.length > 0) return asked;
  return [...new Set([...series.slice(0, 1), ...bySize(series)])].slice(0, FIRST_SERIES);
}

export function bySize(series: Alert[]): Alert[] {
  const sizeOf = ({ last }: Alert) => last?.current.weight ?? last?.current.value ?? 0;
  return series.toSorted((a, b) => sizeOf(b) - sizeOf(a));
}

/** The end of the last window to show: one that is closed but not evaluated yet would look like missing data. */
export function lastShown(alerts: Alert[], rule: FigureRule, now: number): number {
  const ends = alerts.flatMap((alert) => alert.last?.current.window.endAt ?? []);
  return ends.length > 0 ? Math.max(...ends) : now - rule.settle * 60_000;
}

/** The end of the last window, and the number of windows: 0 if they would begin after it. */
export function spanOf(
  { from, until }: z.output<typeof spanSchema>,
  { window: grain, zone }: FigureRule,
  lastAt: number,
): { throughAt: number; count: number } {
  const startOf = (text: string) => (text.includes('T') ? Date.parse(text) : startOfDate(text, zone));
  const endOf = (text: string) =>
    text.includes('T') ? Date.parse(text) : endAfter(startOf(text), 1, { grain: 'day', zone });
  const throughAt = Math.min(lastAt, until === undefined ? lastAt : endOf(until));
  if (from === undefined) return { throughAt, count: WINDOWS_SHOWN[grain] };
  const windows = new CalendarWindows({ grain, zone });
  let window = lastClosedWindow(throughAt, windows.calendar);
  let count = 0;
  const fromAt = startOf(from);
  for (; window.endAt > fromAt && count < MOST_WINDOWS; window = windows.before(window)) count += 1;
  return { throughAt, count };
}

function startOfDate(date: string, zone: string): number {
  const { startAt, endAt } = lastClosedWindow(Date.parse(date) + DAY_MS / 2, { grain: 'day', zone });
  return dateAt(endAt, zone) === date ? endAt : startAt;
}
