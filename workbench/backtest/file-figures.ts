import { createReadStream } from 'node:fs';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { Figures, RangeQuestion, ReadingRow } from '../../shared/readings/reading.ts';
import { seriesOf } from '../../shared/readings/series.ts';
import { type FigureRule, hasSegments, type Rule } from '../../shared/rules/rule.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { canonical } from '../../shared/text/content-hash.ts';
import { nextRun } from '../../shared/time/cadence.ts';
import { lastClosedWindow, type Window } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { Buckets, type Row } from '../series/buckets.ts';
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
  const source = sourceOf(rows, watching, file);
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

/** Answers about the windows that the file covers completely. A file does not record when data arrived. */
function sourceOf(rows: Row[], rules: FigureRule[], file: string): MetricSource {
  const versions = rules.map((rule) => figuresByWindow(rows, rule, file));
  const answer = (question: RangeQuestion, window: Window): ReadingRow[] => {
    const found = versions.flatMap((version) => Object.entries(version.get(keyOf(window)) ?? {}));
    if (found.length === 0) return [];
    const current: Figures = Object.fromEntries(found);
    return question.eventNames?.map((eventName) => ({ eventName, current })) ?? [{ current }];
  };
  return {
    read: async () => ({ kind: 'failed', reason: ONE_SERIES, retryable: false }),
    readRange: async (question) =>
      rules.some((rule) => isOf(rule, question))
        ? { kind: 'read', value: question.windows.map((window) => answer(question, window)) }
        : { kind: 'unsupported', reason: ONE_SERIES },
    readNewestEventAt: async () => ({ kind: 'read', value: rows.at(-1)?.at ?? null }),
  };
}

const ONE_SERIES = 'a file holds one series';

const keyOf = ({ startAt, endAt }: Window): string => `${startAt} ${endAt}`;

/** Throws `ConfigError` for one row per window of a mean: it weighs as much as one session. */
function figuresByWindow(rows: Row[], rule: FigureRule, file: string): Map<string, Figures> {
  const metric = metricOf(rule);
  const buckets = new Buckets(rule, 'missing');
  const readings = rows.flatMap((row) => [...buckets.push(row)]).filter(({ value }) => value !== null);
  if (metric.kind === 'mean' && readings.every(({ weight }) => (weight ?? 0) <= 1))
    throw new ConfigError(
      `${file} has one row per ${rule.window}, and ${rule.id} watches a mean: one row counts as one event, so no change is significant; use rows of shorter intervals, or run "deltawatch evaluate"`,
    );
  return new Map(
    readings.map(({ window, value, weight }) => [
      keyOf(window),
      { [metric.key]: value, ...(metric.kind === 'mean' && { [metric.weight.key]: weight }) },
    ]),
  );
}

function isOf(rule: FigureRule, question: RangeQuestion): boolean {
  const { endpoint, filters, calendar, eventNames } = seriesOf(rule);
  const asked = [question.endpoint, question.filters, question.calendar, question.eventNames !== undefined];
  return canonical([endpoint, filters, calendar, eventNames.length > 0]) === canonical(asked);
}
