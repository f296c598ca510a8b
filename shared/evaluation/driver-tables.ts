import { PERIODS, type Period, type Question, type ReadingRow, type SeriesKey } from '../readings/reading.ts';
import { seriesKeyOf } from '../readings/series.ts';
import type { Metric } from '../rules/metric.ts';
import type { FigureRule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import type { Leaf, Part } from '../statistics/attribution-gain.ts';
import { hoursOf } from '../time/window.ts';

export interface Answer {
  question: Question;
  rows: ReadingRow[];
}

export interface Measured {
  metric: Metric;
  series: SeriesKey;
}

export function measuredOf({ rule, segment }: { rule: FigureRule; segment: string | null }): Measured {
  return { metric: metricOf(rule), series: seriesKeyOf(rule, segment) };
}

/**
 * The rows by group; counts of the previous window are scaled to the window's length. A group that only one window has
 * may be folded in the other. Then it is added to the rest in both, so that the totals stay correct.
 */
export function leavesOf({ question, rows }: Answer, measured: Measured): Leaf[] {
  const foldedIn = { current: foldedPlaces(rows, 'current'), previous: foldedPlaces(rows, 'previous') };
  const perWindow =
    measured.metric.kind === 'count' ? hoursOf(question.window) / hoursOf(question.previous) : 1;
  const leaves = new Map<string, Leaf>();
  for (const group of Map.groupBy(rows, ({ groups }) => JSON.stringify(groups)).values()) {
    const missing = PERIODS.filter((period) => group.every((row) => !row[period]));
    const values = (group[0]?.groups ?? []).map((value, place) =>
      missing.some((period) => foldedIn[period].has(place)) ? null : value,
    );
    const current = partOf(group, 'current', measured);
    const before = partOf(group, 'previous', measured);
    const baseline = { ...before, amount: before.amount * perWindow };
    const key = JSON.stringify(values);
    const same = leaves.get(key) ?? { values, current: NOTHING, baseline: NOTHING };
    leaves.set(key, {
      values,
      current: plus(same.current, current),
      baseline: plus(same.baseline, baseline),
    });
  }
  return [...leaves.values()];
}

const NOTHING: Part = { amount: 0, weight: 0 };

function plus(a: Part, b: Part): Part {
  return { amount: a.amount + b.amount, weight: a.weight + b.weight };
}

/** The indexes in `groups` at which a row of that period is the folded rest. */
function foldedPlaces(rows: readonly ReadingRow[], period: Period): Set<number> {
  const places = rows
    .filter((row) => row[period])
    .flatMap(({ groups = [] }) => groups.flatMap((value, place) => (value === null ? [place] : [])));
  return new Set(places);
}

function partOf(group: readonly ReadingRow[], period: Period, { metric, series }: Measured): Part {
  const figure = (key: string, eventName = series.eventName) =>
    group.find((row) => row[period] && row.eventName === eventName)?.[period]?.[key] ?? 0;
  switch (metric.kind) {
    case 'count':
      return { amount: figure(metric.key), weight: 0 };
    case 'mean': {
      const weight = figure(metric.weight.key);
      return { amount: figure(metric.key) * weight, weight };
    }
    case 'ratio':
      return { amount: figure(metric.key), weight: figure(metric.key, series.per) };
    case 'total':
    case 'extreme':
    case 'percentile':
    case 'value':
      throw new TypeError('no drivers are read for this metric');
  }
}
