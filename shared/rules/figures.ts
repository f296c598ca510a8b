import * as z from 'zod';
import { type Filter, filterSchema, propertyNameSchema } from '../contract/filters.ts';
import { type Expression, namesIn, parseFormula, summandsOf } from './formula.ts';
import {
  type Asked,
  type AskedMetric,
  type Computation,
  type Metric,
  PROPERTY_OPERATIONS,
  type PropertyMetric,
  propertyFilter,
  propertyMetric,
} from './metric.ts';
import { METRICS, type MetricName } from './metrics.ts';

export const METRIC_NAMES = Object.keys(METRICS) as [MetricName, ...MetricName[]];

const ONE_NUMBER =
  'name one of average, sum, minimum, maximum, p50, p90, p95 or p99, such as { average: price }';

/** One number of an event property: `{ average: price }`. */
const propertyMetricSchema = z
  .strictObject({
    average: propertyNameSchema.optional(),
    sum: propertyNameSchema.optional(),
    minimum: propertyNameSchema.optional(),
    maximum: propertyNameSchema.optional(),
    p50: propertyNameSchema.optional(),
    p90: propertyNameSchema.optional(),
    p95: propertyNameSchema.optional(),
    p99: propertyNameSchema.optional(),
  })
  .refine((given) => PROPERTY_OPERATIONS.filter((each) => given[each] !== undefined).length === 1, {
    error: ONE_NUMBER,
    abort: true,
  }) satisfies z.ZodType<PropertyMetric>;

/** The name of a metric, or a number of a property. */
export const metricSchema = z.union([z.enum(METRIC_NAMES), propertyMetricSchema], { error: ONE_NUMBER });

/** A number that the service answers: a metric of what passes the filters. */
export const figureSchema = z.strictObject({
  metric: metricSchema,
  filters: z.array(filterSchema).default([]),
});

export type Figure = z.output<typeof figureSchema>;

const FIGURE_NAME = /^[a-z][a-z0-9_]*$/;
const MOST_FIGURES = 10;

/** The figures of a formula by name. */
export const figuresSchema = z
  .record(
    z
      .string()
      .regex(FIGURE_NAME, 'write a name of lower-case letters, digits and _ that starts with a letter'),
    figureSchema,
  )
  .refine((figures) => Object.keys(figures).length <= MOST_FIGURES, {
    error: `name at most ${MOST_FIGURES} figures`,
  });

/** One side of a ratio: the name of an event, or any count. */
export type RatioSide = string | Figure;

/** The keys of a rule that compute its metric from several figures. */
export interface Figures {
  metric?: MetricName | PropertyMetric | undefined;
  ratio?: { of: RatioSide; to: RatioSide } | undefined;
  formula?: string | undefined;
  figures?: Record<string, Figure> | undefined;
}

/** A figure of a computed metric, with all filters of its own. */
interface Part {
  metric: AskedMetric;
  filters: Filter[];
}

/** The parts of a computed metric by name, and how it is computed from them. */
export interface Computed {
  parts: ReadonlyMap<string, Part>;
  of: Expression;
  to?: Expression;
  /** What it computes, for messages. */
  text: string;
}

/** A place in a rule: `['ratio', 'of']`. */
type Path = (string | number)[];

/** The figures of a ratio or a formula that have filters of their own, with their place in the rule. */
export function ownFigures({ ratio, figures = {} }: Figures): (Figure & { path: Path })[] {
  const sides = (['of', 'to'] as const).flatMap((key) => {
    const side = ratio?.[key];
    return typeof side === 'object' ? [{ ...side, path: ['ratio', key] }] : [];
  });
  return [...sides, ...Object.entries(figures).map(([name, each]) => ({ ...each, path: ['figures', name] }))];
}

/** All filters of a rule, with their place in it. */
export function filtersIn(rule: Figures & { filters: Filter[] }): { filter: Filter; path: Path }[] {
  const own = ownFigures(rule).map(({ filters, path }) => ({ filters, path: [...path, 'filters'] }));
  return [{ filters: rule.filters, path: ['filters'] as Path }, ...own].flatMap(({ filters, path }) =>
    filters.map((filter, i) => ({ filter, path: [...path, i] })),
  );
}

const KNOWN = new WeakMap<object, Computed>();

/** The parts of a ratio of any counts or of a formula; `undefined` for a metric that is not computed. */
export function computedOf({ metric, ratio, formula, figures }: Figures): Computed | undefined {
  const named = figures ?? ratio;
  const known = named && KNOWN.get(named);
  if (known) return known;
  const computed =
    figures && formula !== undefined ? ofFormula(formula, figures) : ratio && ofRatio(ratio, metric);
  if (computed && named) KNOWN.set(named, computed);
  return computed;
}

function ofRatio({ of, to }: NonNullable<Figures['ratio']>, metric: Figures['metric'] = 'event_count') {
  if (typeof of === 'string' && typeof to === 'string') return undefined;
  const part = (side: RatioSide): Part =>
    typeof side === 'string' ? { metric: askedMetric(metric), filters: [named(side)] } : partOf(side);
  return {
    parts: new Map([
      ['of', part(of)],
      ['to', part(to)],
    ]),
    ...{ of: { kind: 'figure', name: 'of' } as const, to: { kind: 'figure', name: 'to' } as const },
    text: `${nameOf(of)} per ${nameOf(to).replace(/s$/, '')}`,
  };
}

function ofFormula(formula: string, figures: Record<string, Figure>): Computed | undefined {
  const parsed = parseFormula(formula);
  if (parsed.kind === 'fault') return undefined;
  const { expression } = parsed;
  const isQuotient = expression.kind === 'operation' && expression.operator === '/';
  return {
    parts: new Map(Object.entries(figures).map(([name, figure]) => [name, partOf(figure)])),
    ...(isQuotient ? { of: expression.left, to: expression.right } : { of: expression }),
    text: formula,
  };
}

function partOf({ metric, filters }: Figure): Part {
  const own = typeof metric === 'object' ? [...filters, propertyFilter(metric)] : filters;
  return { metric: askedMetric(metric), filters: own };
}

function askedMetric(metric: MetricName | PropertyMetric): AskedMetric {
  return typeof metric === 'object' ? propertyMetric(metric) : METRICS[metric];
}

function named(event: string): Filter {
  return { attribute: 'event_name', operator: 'equal', value: event };
}

/** The event that a side counts, otherwise the unit of its metric. */
function nameOf(side: RatioSide): string {
  if (typeof side === 'string') return side;
  const [event] = side.filters.filter(
    ({ attribute, operator }) => attribute === 'event_name' && operator === 'equal',
  );
  return event && side.metric === 'event_count' ? String(event.value) : askedMetric(side.metric).unit;
}

/** The metric of a computation. A segment is as large as its first count, of the divisor if there is one. */
export function computedMetric({ parts, of, to, text }: Computed, unit = text): Metric {
  const metrics = new Map([...parts].map(([name, { metric }]) => [name, withKeysOf(name, metric)]));
  const computed: Computation = { parts: metrics, of, ...(to && { to }), text };
  const inOrder = [...(to ? namesIn(to) : []), ...namesIn(of)].flatMap((name) => metrics.get(name) ?? []);
  const largest = inOrder.find(({ kind }) => kind === 'count') ?? inOrder[0];
  if (!largest) throw new TypeError('a formula names at least one figure');
  const { endpoint, aggregation } = largest;
  const key = 'weight' in largest ? largest.weight.key : largest.key;
  const asked: Asked = { endpoint, aggregation, key, unit };
  const counts = countsIn(of, metrics);
  if (to && counts && countsIn(to, metrics)) return { ...asked, computed, kind: 'ratio' };
  if (to || !counts) return { ...asked, computed, kind: 'value' };
  return { ...asked, computed, kind: 'count', addsUp: counts.every(({ addsUp }) => addsUp) };
}

/** The counts that the expression adds up, if one endpoint answers them all. */
function countsIn(expression: Expression, metrics: ReadonlyMap<string, AskedMetric>) {
  const summands = summandsOf(expression)?.flatMap((name) => metrics.get(name) ?? []);
  const counts = summands?.flatMap((metric) => (metric.kind === 'count' ? [metric] : []));
  if (!summands || !counts || counts.length < summands.length) return undefined;
  return counts.every(({ endpoint }) => endpoint === counts[0]?.endpoint) ? counts : undefined;
}

/** The metric with row keys of its own: several parts may ask for the same field. */
function withKeysOf(part: string, metric: AskedMetric): AskedMetric {
  const key = partKey(part, metric.key);
  if (!('weight' in metric)) return { ...metric, key };
  return { ...metric, key, weight: { ...metric.weight, key: partKey(part, metric.weight.key) } };
}

/** The row key of a field of one part. */
export function partKey(part: string, key: string): string {
  return `${part}:${key}`;
}
