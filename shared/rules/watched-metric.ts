import { computedMetric, computedOf, type Figures } from './figures.ts';
import { type Metric, propertyMetric } from './metric.ts';
import { METRICS } from './metrics.ts';

/** The part of a rule that names its metric. */
export interface Watched extends Figures {
  funnel?: readonly string[] | undefined;
  /** What a figure of a property or a formula counts, for messages. */
  unit?: string | undefined;
}

/** By the object that names the metric, because histories find figures by metric. */
const KNOWN = new WeakMap<object, Metric>();

/** The metric of a rule: the named one, that of a property, its ratio or its formula. */
export function metricOf(watched: Watched): Metric {
  const { metric = 'event_count', ratio, funnel, unit } = watched;
  const computed = computedOf(watched);
  if (computed) return known(computed, () => computedMetric(computed, unit));
  if (typeof metric === 'object')
    return known(metric, () => ({ ...propertyMetric(metric), ...(unit !== undefined && { unit }) }));
  const counted = METRICS[metric];
  if ((!ratio && !funnel) || counted.kind !== 'count') return counted;
  return { ...counted, kind: 'ratio', counted, unit: ratio ? `${ratio.of} per ${ratio.to}` : 'per step' };
}

function known(by: object, build: () => Metric): Metric {
  const metric = KNOWN.get(by) ?? build();
  KNOWN.set(by, metric);
  return metric;
}
