import * as z from 'zod';
import { filterSchema, propertyNameSchema } from '../contract/filters.ts';
import type { Figure } from './figures.ts';
import { PROPERTY_OPERATIONS, type PropertyMetric } from './metric.ts';
import { METRICS, type MetricName } from './metric-table.ts';

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

/** A metric of what passes the filters. */
export const figureSchema = z.strictObject({
  metric: metricSchema,
  filters: z.array(filterSchema).default([]),
}) satisfies z.ZodType<Figure>;

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
