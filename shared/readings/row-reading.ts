import { evaluated } from '../rules/formula.ts';
import type { AskedMetric, Computation, RowMetric } from '../rules/metric.ts';
import type { Figures, Reading } from './reading.ts';

/** The reading of a metric from the rows of some segments together: counts are added, means are weighted. */
export function readingOf(metric: RowMetric, rows: readonly Figures[]): Reading {
  return 'computed' in metric ? computedReading(metric.computed, rows) : askedReading(metric, rows);
}

function askedReading(metric: AskedMetric, rows: readonly Figures[]): Reading {
  if (metric.kind === 'count') return { value: totalOf(metric.key, rows), weight: null };
  const weight = totalOf(metric.weight.key, rows);
  if (metric.kind === 'total') return { value: totalOf(metric.key, rows), weight: null, events: weight };
  if (weight === 0) return { value: null, weight };
  const [only, ...others] = rows;
  if (only && others.length === 0) return { value: only[metric.key] ?? null, weight };
  const product = (row: Figures) => (row[metric.weight.key] ?? 0) * (row[metric.key] ?? 0);
  if (metric.kind === 'mean')
    return { value: rows.reduce((sum, row) => sum + product(row), 0) / weight, weight };
  // The percentile of a whole does not follow from those of its parts.
  if (metric.kind === 'percentile') return { value: null, weight };
  const values = rows.flatMap((row) => row[metric.key] ?? []);
  const extreme = metric.of === 'minimum' ? Math.min(...values) : Math.max(...values);
  return { value: values.length > 0 ? extreme : null, weight };
}

function totalOf(key: string, rows: readonly Figures[]): number {
  let total = 0;
  for (const row of rows) total += row[key] ?? 0;
  return total;
}

/** A quotient has no value where its divisor is zero. Its divisor is its weight. */
function computedReading({ parts, of, to }: Computation, rows: readonly Figures[]): Reading {
  const figure = (name: string) => {
    const metric = parts.get(name);
    return metric ? askedReading(metric, rows).value : null;
  };
  const value = evaluated(of, figure);
  if (!to) return { value, weight: null };
  const divisor = evaluated(to, figure);
  return { value: value === null || !divisor ? null : value / divisor, weight: divisor ?? 0 };
}
