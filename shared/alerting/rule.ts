import * as z from 'zod';
import { attributeSchema, type Filter, filterSchema, filtersFor } from '../analytics/filters.ts';
import { type GroupBy, groupingFor, isTimeBucket } from '../analytics/grouping.ts';
import { type Cadence, naturalWindow } from './cadence.ts';
import { CADENCE_FORMS, parseCadence } from './cadence-words.ts';
import { METRICS, type MetricName, metricOf } from './metrics.ts';
import { tooSeldom } from './plan.ts';
import { minutes, ofWindows, percent, slug, zone } from './rule-words.ts';
import { GRAINS, type Grain } from './window.ts';

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

const sides = <T extends z.ZodType<number, unknown>>(bound: T) =>
  z
    .strictObject({ above: bound.optional(), below: bound.optional() })
    .refine(({ above, below }) => above !== undefined || below !== undefined, {
      error: 'give "above", "below" or both',
    });

const bounds = z
  .strictObject({
    change: sides(percent).optional(),
    difference: sides(z.number()).optional(),
    current: sides(z.number()).optional(),
  })
  .refine((given) => Object.values(given).some((side) => side !== undefined), {
    error: 'give at least one of "change", "difference" and "current"',
  });

/**
 * Bounds that a window must leave to breach. Within one bound either side is enough; of several bounds all must
 * be left. `change` is a ratio (0.5 is +50 %), `difference` and `current` are in the metric's unit.
 */
export type Bounds = z.output<typeof bounds>;

const ruleSchema = z
  .strictObject({
    id: slug.describe('The identity of the rule; a new id is a new rule.'),
    title: z.string().min(1).max(150).describe('What a person reads first in a message.'),
    app: z.string().min(1).describe('The app id in the data access service.'),
    owner: z.string().min(1).describe('Who is told when the rule itself fails, and who answers for it.'),
    severity: z.enum(SEVERITIES).default('warning'),
    runbook: z.string().min(1).optional().describe('A link or a sentence: what to do when this fires.'),
    every: z.string(`write ${CADENCE_FORMS}`).describe(`When the rule is looked at: ${CADENCE_FORMS}.`),
    zone: zone.default('UTC').describe('IANA time zone in which windows begin and end.'),
    window: z.enum(GRAINS).optional().describe('The span of one figure; by default that of "every".'),
    settle: minutes.default(10).describe('How long after its end a window waits for late data.'),
    metric: z.enum(Object.keys(METRICS) as [MetricName, ...MetricName[]]),
    filters: z
      .array(filterSchema)
      .default([])
      .describe('Filters of the data access interface, all of which must hold.'),
    group_by: attributeSchema.optional().describe('Attribute; each of its values is watched by itself.'),
    compare: z
      .strictObject({ to: z.enum(['previous_period', 'same_weekday']) })
      .default({ to: 'previous_period' })
      .describe('The baseline: the window just before, or the same window one week before.'),
    fire: bounds.describe('The bounds that a window must leave to breach.'),
    recover: bounds
      .optional()
      .describe('The bounds inside which a firing rule recovers; by default those of "fire".'),
    minimum: z
      .strictObject({
        current: z.number().min(0).default(0),
        baseline: z.number().min(0).default(0),
        difference: z.number().min(0).default(0),
      })
      .prefault({})
      .describe(
        'Too little to tell: below any of these, nothing fires. Means count their sessions or users.',
      ),
    confidence: z
      .number()
      .min(0.5)
      .max(0.9999)
      .default(0.99)
      .describe('How sure the count test must be that a difference is more than noise.'),
    fire_after: ofWindows.prefault('1 of 1').describe('Fires when N of the last M windows breached.'),
    recover_after: ofWindows.prefault('2 of 2').describe('Recovers when N of the last M windows were clear.'),
  })
  .superRefine((rule, context) => {
    const problem = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    const every = parseCadence(rule.every, rule.zone);
    const seldom = every.kind === 'cadence' && tooSeldom(every.cadence, rule.window);
    if (every.kind === 'refused') problem(['every'], every.reason);
    if (seldom) problem(['every'], seldom);
    if (rule.compare.to === 'same_weekday' && rule.window === 'month')
      problem(['compare', 'to'], 'a month has no weekday; use "previous_period"');
    for (const { path, message } of outsideFireBounds(rule.fire, rule.recover))
      problem(['recover', ...path], message);
    for (const { path, message } of unanswerable(rule)) problem(path, message);
  });

/** What the endpoint of the rule's metric would refuse to filter or group by, so that it is said before it runs. */
function unanswerable({ metric, filters, group_by: attribute }: Asked): Fault[] {
  const { endpoint } = metricOf(metric);
  const wrong = faultsOf(filtersFor(endpoint, 'analytics').safeParse(filters)).map(({ path, message }) => ({
    path: ['filters', ...path],
    message,
  }));
  for (const [i, filter] of filters.entries())
    if (filter.attribute === 'date_range')
      wrong.push({
        path: ['filters', i],
        message: 'a rule is asked about its windows; leave "date_range" out',
      });
  if (attribute === undefined) return wrong;
  if (isTimeBucket({ attribute }))
    wrong.push({ path: ['group_by'], message: `${attribute} is time, which "window" already cuts` });
  for (const { message } of faultsOf(groupingFor(endpoint).safeParse([{ attribute }])))
    wrong.push({ path: ['group_by'], message });
  return wrong;
}

type Asked = { metric: MetricName; filters: Filter[]; group_by?: GroupBy['attribute'] | undefined };
type Fault = { path: (string | number)[]; message: string };

function faultsOf({ error }: z.ZodSafeParseResult<unknown>): Fault[] {
  return (error?.issues ?? []).map(({ path, message }) => ({
    path: path.map((step) => (typeof step === 'symbol' ? String(step) : step)),
    message,
  }));
}

/** The keys of a rule file, as people write them; `defaults` holds for every rule below that does not say otherwise. */
export const ruleFileSchema = z.strictObject({
  $schema: z.string().optional(),
  defaults: z.record(z.string(), z.unknown()).optional(),
  rules: z.array(z.record(z.string(), z.unknown())).min(1),
});

export const ruleSetEntrySchema = ruleSchema;

/** One rule as the judge reads it: defaults filled in, words parsed. */
export type Rule = Omit<z.output<typeof ruleSchema>, 'window' | 'every'> & {
  every: string;
  cadence: Cadence;
  window: Grain;
};

/** The parsed rule of a valid entry. */
export function buildRule(entry: z.output<typeof ruleSchema>): Rule {
  const every = parseCadence(entry.every, entry.zone);
  if (every.kind === 'refused') throw new TypeError(`rule ${entry.id}: ${every.reason}`);
  const { cadence } = every;
  return { ...entry, cadence, window: entry.window ?? naturalWindow(cadence) };
}

/** Recover bounds that lie outside the fire bounds: a rule with such a bound would fire and recover at once. */
function outsideFireBounds(fire: Bounds, recover: Bounds | undefined): { path: string[]; message: string }[] {
  const wrong: { path: string[]; message: string }[] = [];
  for (const kind of ['change', 'difference', 'current'] as const) {
    const [outer, inner] = [fire[kind], recover?.[kind]];
    if (!inner) continue;
    if (!outer) wrong.push({ path: [kind], message: `"fire" has no "${kind}" to recover from` });
    else {
      if (inner.above !== undefined && inner.above > (outer.above ?? -Infinity))
        wrong.push({ path: [kind, 'above'], message: 'must not lie above the bound of "fire"' });
      if (inner.below !== undefined && inner.below < (outer.below ?? Infinity))
        wrong.push({ path: [kind, 'below'], message: 'must not lie below the bound of "fire"' });
    }
  }
  return wrong;
}
