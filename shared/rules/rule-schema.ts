import * as z from 'zod';
import { filterSchema } from '../contract/filters.ts';
import { MOST_MINUTES } from '../contract/journeys.ts';
import type { FalseDiscoveryMethod } from '../statistics/false-discovery.ts';
import { SENSITIVITIES } from '../statistics/seasonality.ts';
import { minutes, ofWindows, percent, slug, zone } from '../text/text-schemas.ts';
import { naturalWindow, tooSeldom } from '../time/cadence.ts';
import { holidaysSchema } from '../time/holiday-calendar.ts';
import { CADENCE_FORMS, parseCadence } from '../time/parse-cadence.ts';
import { GRAINS } from '../time/window.ts';
import { boundsSchema, outsideFireBounds } from './bounds.ts';
import { comparisonSchema, isRate } from './comparison.ts';
import { memberIdsSchema, membersOf, unfitMembers } from './composite-members.ts';
import { CONFIDENCE, CONFIDENCE_OF_HOURS, MAX_SEGMENTS } from './defaults.ts';
import { figuresSchema, METRIC_NAMES, metricSchema } from './figures.ts';
import { groupBySchema, versionPlace } from './group-by.ts';
import { funnelSchema, ratioSchema, unfitRatio } from './ratio.ts';
import type { Fault } from './unsupported-filters.ts';
import { unanswerable } from './unsupported-filters.ts';
import { metricOf } from './watched-metric.ts';

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const FALSE_DISCOVERY_METHODS = [
  'benjamini-hochberg',
  'benjamini-yekutieli',
] as const satisfies FalseDiscoveryMethod[];

/** The false discovery rate among segments, and the procedure: see `shared/statistics/false-discovery.ts`. */
const falseDiscovery = z.strictObject({
  rate: percent
    .refine((rate) => rate > 0 && rate < 1, { error: 'write a percentage between 0% and 100%' })
    .optional(),
  method: z.enum(FALSE_DISCOVERY_METHODS).default('benjamini-hochberg'),
});

export const ruleSchema = z.lazy(() =>
  z
    .strictObject({
      id: slug.describe('The identifier of the rule. Changing it creates a new rule.'),
      title: z
        .string()
        .min(1)
        .max(150)
        .describe('The title of its messages, which says what the rule watches.'),
      app: z.string().min(1).describe('The app id in the data access service.'),
      owner: z.string().min(1).describe('The team that is responsible for the rule. Routes can match it.'),
      severity: z
        .enum(SEVERITIES)
        .default('warning')
        .describe('How severe its alerts are. Routes can match it.'),
      runbook: z.string().min(1).optional().describe('What to do when the rule fires: a link or a sentence.'),
      every: z.string(`write ${CADENCE_FORMS}`).describe(`When the rule runs: ${CADENCE_FORMS}.`),
      zone: zone.default('UTC').describe('IANA time zone in which windows begin and end.'),
      window: z
        .enum(GRAINS)
        .optional()
        .describe('The time span of one figure. By default it follows from "every".'),
      settle: minutes
        .prefault('10 minutes')
        .describe('How long a window waits for late data before it is evaluated.'),
      metric: metricSchema
        .optional()
        .describe(
          'The figure that the rule watches: a metric, or a number of an event property. For a ratio or a funnel, the count of each event.',
        ),
      ratio: ratioSchema
        .optional()
        .describe('One count divided by another: the names of two events, or metrics with filters.'),
      funnel: funnelSchema
        .optional()
        .describe(
          'Events in order. The rule watches the ratio of each to the one before it, and of the last to the first.',
        ),
      within: minutes
        .refine((given) => given > 0 && given <= MOST_MINUTES, 'write from "1 minute" to "30 days"')
        .optional()
        .describe(
          'Follows users: who of those with the first event of the funnel or ratio reaches the others in order, within this time.',
        ),
      formula: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('A figure computed from "figures", with + - * / and parentheses.'),
      figures: figuresSchema.optional().describe('The figures of the formula by name: metrics with filters.'),
      unit: z
        .string()
        .min(1)
        .max(40)
        .optional()
        .describe('The unit in messages of a formula or of a number of a property, such as EUR.'),
      all_of: memberIdsSchema.optional().describe('Ids of rules. This rule breaches while all of them fire.'),
      any_of: memberIdsSchema
        .optional()
        .describe('Ids of rules. This rule breaches while at least one of them fires.'),
      quiet: z
        .boolean()
        .default(false)
        .describe('The rule is evaluated and can be a member of other rules, but sends no messages.'),
      filters: z
        .array(filterSchema)
        .default([])
        .describe('Filters of the data access interface. All of them must match.'),
      group_by: groupBySchema
        .optional()
        .describe(
          'An attribute, a property, or a list of two. Each of their values is watched as a segment.',
        ),
      max_segments: z
        .int()
        .min(1)
        .max(MAX_SEGMENTS)
        .default(MAX_SEGMENTS)
        .describe('The most segments that are watched individually. The rest is summed into one.'),
      new_segments: z
        .union([z.literal('report'), minutes], { error: 'write "report" or a duration such as "7 days"' })
        .optional()
        .describe(
          'How long a new segment waits until it is evaluated, or "report" to treat it as a rise from zero. By default it waits for its baseline.',
        ),
      false_discovery: falseDiscovery
        .prefault({})
        .describe(
          'The share of significant segments that may be significant by chance. By default 5%, or 1 minus "confidence" if that is more.',
        ),
      compare: comparisonSchema
        .optional()
        .describe('The baseline. The default depends on the metric and the window.'),
      anomaly: z
        .union([z.literal(true), z.enum(['rise', 'fall'])], 'write true, "rise" or "fall"')
        .optional()
        .describe('The rule breaches only outside the expected range for this hour or day of the week.'),
      sensitivity: z
        .enum(SENSITIVITIES)
        .optional()
        .describe('How small a deviation from the expected range fires. By default normal.'),
      holidays: holidaysSchema
        .optional()
        .describe(
          'Days that are not evaluated and not part of any baseline. With a season they widen its range instead.',
        ),
      fire: boundsSchema.optional().describe('The bounds that a window must exceed to breach.'),
      recover: boundsSchema
        .optional()
        .describe('A firing rule recovers within these bounds. By default those of "fire".'),
      minimum: z
        .strictObject({
          current: z.number().min(0).optional(),
          baseline: z.number().min(0).optional(),
          difference: z.number().min(0).default(0),
        })
        .prefault({})
        .describe(
          'Smaller figures never fire. For means, the number of sessions or users counts. The default baseline of segments is 20.',
        ),
      confidence: z
        .number()
        .min(0.5)
        .max(0.9999)
        .optional()
        .describe(
          `The confidence that the count test requires to tell a difference from noise. By default ${CONFIDENCE_OF_HOURS} for hours, else ${CONFIDENCE}.`,
        ),
      restate_for: minutes
        .optional()
        .describe('How long after its end a window may still change. It is then read and evaluated again.'),
      grace: minutes
        .prefault('6 hours')
        .describe('How long after "settle" an app may send no new data before an alert fires.'),
      no_data_after: z
        .int()
        .min(1)
        .max(24)
        .default(3)
        .describe('The number of consecutive windows without data after which a message is sent.'),
      fire_after: ofWindows
        .prefault('1 of 1')
        .describe('The rule fires when N of the last M windows breached.'),
      recover_after: ofWindows
        .prefault('2 of 2')
        .describe('The rule recovers when N of the last M windows did not breach.'),
    })
    .superRefine((rule, context) => {
      const problem = (path: (string | number)[], message: string) =>
        context.addIssue({ code: 'custom', path, message });
      const every = parseCadence(rule.every, rule.zone);
      const seldom = every.kind === 'cadence' && tooSeldom(every.cadence, rule.window);
      if (every.kind === 'refused') problem(['every'], every.reason);
      if (seldom) problem(['every'], seldom);
      for (const { path, message } of unfitMembers(rule)) problem(path, message);
      if (membersOf(rule)) return;
      if (!rule.metric && !rule.ratio && !rule.funnel && !rule.formula && !rule.figures)
        context.addIssue({
          code: 'invalid_value',
          values: METRIC_NAMES,
          path: ['metric'],
          input: rule.metric,
        });
      const faults = [...unfitRatio(rule), ...unfitComparison(rule)];
      faults.push(...outsideFireBounds(rule.fire, rule.recover), ...unanswerable(rule));
      for (const { path, message } of faults) problem(path, message);
    }),
);

export type RuleEntry = z.output<typeof ruleSchema>;

/** Faults of the baseline and the bounds for the rule's windows. */
function unfitComparison(entry: RuleEntry): Fault[] {
  const { every, zone, window, compare, anomaly, sensitivity, fire } = entry;
  const parsed = parseCadence(every, zone);
  const grain = window ?? (parsed.kind === 'cadence' ? naturalWindow(parsed.cadence) : undefined);
  const wrong: Fault[] = [];
  if (!fire && !anomaly)
    wrong.push({ path: ['fire'], message: 'write the bounds to exceed, or use "anomaly: true"' });
  if (grain === 'month' && (compare?.to === 'same_weekday' || compare?.median_of !== undefined))
    wrong.push({ path: ['compare'], message: 'months cannot be compared by weekday; use "previous_period"' });
  if (compare?.to === 'other_segments' || compare?.to === 'previous_version')
    wrong.push(...unfitSegments(entry, compare.to));
  const isSeasonal = anomaly !== undefined || compare?.to === 'seasonal';
  if (isSeasonal && (grain === 'week' || grain === 'month'))
    wrong.push({
      path: [anomaly === undefined ? 'compare' : 'anomaly'],
      message: `seasonal baselines need windows of an hour or a day, not of a ${grain}`,
    });
  if (isSeasonal && versionPlace(entry) >= 0 && metricOf(entry).kind === 'count')
    wrong.push({ path: [anomaly === undefined ? 'compare' : 'anomaly'], message: unfitFigure(entry) });
  if ((sensitivity ?? 'normal') !== 'normal' && !isSeasonal) {
    const message = 'is for "anomaly" and a seasonal "compare"; add "anomaly: true", or remove this';
    wrong.push({ path: ['sensitivity'], message });
  }
  return wrong;
}

/** Faults of a rule that compares its segments with one another. */
function unfitSegments(entry: RuleEntry, to: 'other_segments' | 'previous_version'): Fault[] {
  const { group_by, anomaly } = entry;
  const metric = metricOf(entry);
  const wrong: Fault[] = [];
  if (group_by === undefined)
    wrong.push({ path: ['compare', 'to'], message: `"${to}" compares segments; add "group_by"` });
  else if (to === 'previous_version' && versionPlace(entry) < 0)
    wrong.push({
      path: ['compare', 'to'],
      message: 'there is no version in "group_by"; group by app_version, or use "other_segments"',
    });
  if (!isRate(metric)) wrong.push({ path: ['compare', 'to'], message: unfitFigure(entry) });
  if (anomaly !== undefined)
    wrong.push({ path: ['anomaly'], message: `a model of the past does not compare segments; use "fire"` });
  return wrong;
}

/** Why the figure of a segment cannot be compared with that of another, and what to watch instead. */
function unfitFigure(entry: RuleEntry): string {
  if (metricOf(entry).kind !== 'count')
    return 'segments can be compared by a ratio, a mean or an average, which have a test of two samples';
  const name = entry.filters.find(({ attribute }) => attribute === 'event_name')?.value;
  const of = typeof name === 'string' ? name : '{ metric: … }';
  return `the count of a segment follows its number of users; watch a ratio: "ratio: { of: ${of}, to: { metric: sessions } }"`;
}
