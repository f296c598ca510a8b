import { createReadStream } from 'node:fs';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { Subject as Asked, Figures, ReadingRow } from '../../shared/readings/reading.ts';
import { seriesOf } from '../../shared/readings/series.ts';
import { metricOf } from '../../shared/rules/metrics.ts';
import { type FigureRule, hasSegments, type Rule } from '../../shared/rules/rule.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { canonical } from '../../shared/text/content-hash.ts';
import { nextRun } from '../../shared/time/cadence.ts';
import { type Calendar, lastClosedWindow, type Window } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import type { Row } from '../series/buckets.ts';
import { csvRows } from '../series/csv-rows.ts';
import { RowTimes } from '../series/row-times.ts';

/** History of one series, from a file. */
export interface FileFigures {
  sourceFor: (app: string) => MetricSource;
  describe: string;
  /** Runs whose windows the file covers completely. */
  span: Window;
}

/**
 * Reads a CSV file of timestamp,value rows as the figures of one rule, or of its versions before and after a
 * change. Throws `InvalidRequestError` for several rules, or a rule with several series. Throws `ConfigError`
 * for a file without a series.
 */
export async function figuresOfFile(file: string, rules: Rule[]): Promise<FileFigures> {
  const [rule] = rules;
  if (!rule || new Set(rules.map(({ id }) => id)).size > 1)
    throw new InvalidRequestError('--readings has the history of one rule: name it with --rule');
  const watching = rules.map((each) => onSeries(each));
  const format = { name: file, times: new RowTimes(rule.zone) };
  const rows = await rowsOf(csvRows(createReadStream(file), format), file);
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last || first.at === last.at)
    throw new ConfigError(`${file} holds no series: write timestamp,value rows, each with a different time`);
  const unknown = rows.find(({ value }) => value === null);
  const count = watching.find((each) => metricOf(each).kind === 'count');
  if (unknown && count)
    throw new ConfigError(
      `${file}:${unknown.line}: the value is missing, and ${count.id} is a sum: a sum needs every value`,
    );
  refuseLoneMeans(file, rows, watching);
  const source = sourceOf(rows, watching);
  const runs = watching.map((each) => runsWithin(each, { startAt: first.at, endAt: last.at }));
  const span = {
    startAt: Math.max(...runs.map(({ startAt }) => startAt)),
    endAt: Math.min(...runs.map(({ endAt }) => endAt)),
  };
  return {
    sourceFor: () => source,
    describe: file,
    span,
  };
}

/**
 * The requested part of a file's span: between two times, or a number of days before its end. Throws
 * `InvalidRequestError` where it has no window to evaluate.
 */
export function spanOfFile(
  { describe, span }: FileFigures,
  { from, to = span.endAt, days }: { from?: number; to?: number; days: number },
): Window {
  const endAt = Math.min(to, span.endAt);
  const startAt = Math.max(from ?? endAt - days * DAY_MS, span.startAt);
  if (startAt < endAt) return { startAt, endAt };
  throw new InvalidRequestError(
    `${describe} has no window to evaluate in these days: it needs a complete window, the one before it, and a row after both`,
  );
}

/** One row weighs as much as one session, so no change of such a mean is significant. */
function refuseLoneMeans(file: string, rows: Row[], rules: FigureRule[]): void {
  const mean = rules.find((rule) => metricOf(rule).kind === 'mean');
  const windows =
    mean &&
    new Set(rows.map(({ at }) => lastClosedWindow(at, { grain: mean.window, zone: mean.zone }).endAt));
  if (!windows || rows.length > windows.size) return;
  throw new ConfigError(
    `${file} has one row per ${mean.window}, and ${mean.id} watches a mean: one row counts as one event, so no change is significant; use rows of shorter intervals, or run "deltawatch evaluate"`,
  );
}

/** Runs whose windows lie in `known`. The first window is the baseline of the second. */
function runsWithin(rule: FigureRule, known: Window): Window {
  const { cadence, settle, window: grain, zone } = rule;
  const windowDueAt = (run: number) => lastClosedWindow(run - settle * 60_000, { grain, zone });
  let startAt = known.startAt;
  for (
    let run = nextRun(cadence, startAt);
    windowDueAt(run).startAt <= known.startAt;
    run = nextRun(cadence, run)
  )
    startAt = run;
  let endAt = known.endAt;
  for (let run = nextRun(cadence, endAt); windowDueAt(run).endAt <= known.endAt; run = nextRun(cadence, run))
    endAt = run;
  return { startAt, endAt };
}

async function rowsOf(read: AsyncIterable<Row>, file: string): Promise<Row[]> {
  const rows: Row[] = [];
  try {
    for await (const row of read) rows.push(row);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new ConfigError(
      `${file}: ${error.code === 'ENOENT' ? 'there is no such file' : 'it cannot be read'}`,
      {
        cause: error,
      },
    );
  }
  return rows;
}

function onSeries(rule: Rule): FigureRule {
  if (rule.members)
    throw new InvalidRequestError(`${rule.id} watches other rules, so it cannot be evaluated on one series`);
  const metric = metricOf(rule);
  if (metric.kind === 'total' || metric.kind === 'extreme' || metric.kind === 'percentile')
    throw new InvalidRequestError(
      `${rule.id} watches the ${metric.unit}, and a file does not have the number of its events`,
    );
  if (hasSegments(rule) || metric.kind === 'ratio' || 'computed' in metric)
    throw new InvalidRequestError(
      `${rule.id} watches several series, so it cannot be evaluated on one series`,
    );
  return rule;
}

function sourceOf(rows: Row[], rules: FigureRule[]): MetricSource {
  const answer = (question: Asked, window: Window): ReadingRow[] => {
    const within = rowsIn(rows, window);
    if (within.length === 0) return [];
    const current = figuresOf(within, rules);
    return question.eventNames?.map((eventName) => ({ eventName, current })) ?? [{ current }];
  };
  return {
    read: async (question) => {
      const [own, before] = [answer(question, question.window), answer(question, question.previous)];
      const previous = before.map(({ current, ...row }) => ({
        ...row,
        ...(current && { previous: current }),
      }));
      return { kind: 'read', value: [...own, ...previous] };
    },
    readRange: async (question) => {
      // A file does not record when data arrived.
      if (!rules.some((rule) => isOf(rule, question)))
        return { kind: 'unsupported', reason: 'a file holds one series' };
      return { kind: 'read', value: question.windows.map((window) => answer(question, window)) };
    },
    readNewestEventAt: async () => ({ kind: 'read', value: rows.at(-1)?.at ?? null }),
  };
}

function isOf(rule: FigureRule, question: Asked & { calendar: Calendar }): boolean {
  const { endpoint, filters, calendar, eventNames } = seriesOf(rule);
  const asked = [question.endpoint, question.filters, question.calendar, question.eventNames !== undefined];
  return canonical([endpoint, filters, calendar, eventNames.length > 0]) === canonical(asked);
}

/** Omits windows that the file does not cover completely. */
function rowsIn(rows: Row[], { startAt, endAt }: Window): Row[] {
  const from = firstAt(rows, startAt);
  const isPart = startAt < (rows[0]?.at ?? Infinity) || endAt > (rows.at(-1)?.at ?? -Infinity);
  return isPart ? [] : rows.slice(from, firstAt(rows, endAt));
}

/** Index of the first row at or after `at`. */
function firstAt(rows: Row[], at: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((rows[middle]?.at ?? Infinity) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Sums counts; averages means by weight. */
function figuresOf(rows: Row[], rules: FigureRule[]): Figures {
  const known = rows.flatMap(({ value }) => value ?? []);
  const sum = known.reduce((total, value) => total + value, 0);
  const figures = rules.flatMap((rule): [string, number | null][] => {
    const metric = metricOf(rule);
    if (metric.kind !== 'mean') return [[metric.key, sum]];
    return [
      [metric.key, known.length > 0 ? sum / known.length : null],
      [metric.weight.key, known.length],
    ];
  });
  return Object.fromEntries(figures);
}
