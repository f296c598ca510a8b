import * as z from 'zod';
import { attributeSchema, filterSchema } from '../../analytics/filters.ts';
import type { FalseDiscoveryMethod } from '../../statistics/false-discovery.ts';
import { minutes, ofWindows, percent, slug, zone } from '../text/text-schemas.ts';
import { type Cadence, naturalWindow, tooSeldom } from '../time/cadence.ts';
import { holidaysSchema } from '../time/holiday-schema.ts';
import { CADENCE_FORMS, parseCadence } from '../time/parse-cadence.ts';
import { GRAINS, type Grain } from '../time/window.ts';
import { boundsSchema, outsideFireBounds } from './bounds.ts';
import { type Comparison, comparisonOf, comparisonSchema, defaultComparison } from './comparison.ts';
import { type Members, memberIdsSchema, membersOf, unfitMembers } from './composite-members.ts';
import { METRICS, type MetricName, metricOf } from './metrics.ts';
import { newSegmentsSchema } from './new-segments.ts';
import { funnelSchema, ratioSchema, unfitRatio } from './ratio.ts';
import { type Fault, unanswerable } from './unsupported-filters.ts';

/** The most segments of one event name that are asked for; the service folds the rest. */
export const MAX_SEGMENTS = 100;

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

const FALSE_DISCOVERY_METHODS = [
  'benjamini-hochberg',
  'benjamini-yekutieli',
] as const satisfies FalseDiscoveryMethod[];

/** How sure a family of segments is, and by which procedure: see `shared/statistics/false-discovery.ts`. */
const falseDiscovery = z.strictObject({
  rate: percent
    .refine((rate) => rate > 0 && rate < 1, { error: 'write a percentage between 0% and 100%' })
    .optional(),
  method: z.enum(FALSE_DISCOVERY_METHODS).default('benjamini-hochberg'),
});

const METRIC_NAMES = Object.keys(METRICS) as [MetricName, ...MetricName[]];

const ruleSchema = z
  .strictObject({
    id: slug.describe('The identity of the rule; a new id is a new rule.'),
    title: z.string().min(1).max(150).describe('What a person reads first in a message.'),
    app: z.string().min(1).describe('The app id in the data access service.'),
    owner: z.string().min(1).describe('Who is told when the rule itself fails, and who answers for it.'),
    severity: z.enum(SEVERITIES).default('warning').describe('How grave it is; routes can match it.'),
    runbook: z.string().min(1).optional().describe('A link or a sentence: what to do when this fires.'),
    every: z.string(`write ${CADENCE_FORMS}`).describe(`When the rule is looked at: ${CADENCE_FORMS}.`),
    zone: zone.default('UTC').describe('IANA time zone in which windows begin and end.'),
    window: z.enum(GRAINS).optional().describe('The span of one figure; by default that of "every".'),
    settle: minutes.prefault('10 minutes').describe('How long after its end a window waits for late data.'),
    metric: z.enum(METRIC_NAMES).optional().describe('The figure watched, or that of a ratio or a funnel.'),
    ratio: ratioSchema.optional().describe('So many of one event to so many of another.'),
    funnel: funnelSchema
      .optional()
      .describe('Events in order: each to the one before it, and the last to the first.'),
    all_of: memberIdsSchema.optional().describe('Ids of rules: breaches while all of them fire.'),
    any_of: memberIdsSchema.optional().describe('Ids of rules: breaches while one of them fires.'),
    quiet: z.boolean().default(false).describe('Judged, shown and used by other rules, but never announced.'),
    filters: z
      .array(filterSchema)
      .default([])
      .describe('Filters of the data access interface, all of which must hold.'),
    group_by: attributeSchema.optional().describe('Attribute; each of its values is watched by itself.'),
    max_segments: z
      .int()
      .min(1)
      .max(MAX_SEGMENTS)
      .default(MAX_SEGMENTS)
      .describe('The most segments watched by themselves; the rest is summed into one.'),
    new_segments: newSegmentsSchema
      .optional()
      .describe('How long a new segment waits until it is judged; by default for its baseline.'),
    false_discovery: falseDiscovery
      .prefault({})
      .describe(
        'Of the segments called significant, the share that may be so by chance: by default 5%, or what "confidence" leaves to chance if that is more.',
      ),
    compare: comparisonSchema
      .optional()
      .describe('The baseline; by default the one that suits the metric and the window.'),
    anomaly: z
      .union([z.literal(true), z.enum(['rise', 'fall'])], 'write true, "rise" or "fall"')
      .optional()
      .describe('Breaches only outside of what is usual for this hour or day of the week.'),
    holidays: holidaysSchema.optional().describe('Days that are neither judged nor learned from.'),
    fire: boundsSchema.optional().describe('The bounds that a window must leave to breach.'),
    recover: boundsSchema
      .optional()
      .describe('The bounds inside which a firing rule recovers; by default those of "fire".'),
    minimum: z
      .strictObject({
        current: z.number().min(0).default(0),
        baseline: z.number().min(0).optional(),
        difference: z.number().min(0).default(0),
      })
      .prefault({})
      .describe(
        'Too little to tell: below any of these, nothing fires. Means count their sessions or users. Segments need a baseline of 20.',
      ),
    confidence: z
      .number()
      .min(0.5)
      .max(0.9999)
      .optional()
      .describe(
        'How sure the count test must be that a difference is more than noise: by default 0.995 for hours, else 0.99.',
      ),
    restate_for: minutes
      .optional()
      .describe('How long after its end a window may still change; it is then read and judged once more.'),
    grace: minutes
      .prefault('6 hours')
      .describe('How long past "settle" an app may be without new data before that is an alert.'),
    no_data_after: z
      .int()
      .min(1)
      .max(24)
      .default(3)
      .describe('Windows in a row without any data after which that is told.'),
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
    for (const { path, message } of unfitMembers(rule)) problem(path, message);
    if (membersOf(rule)) return;
    if (!rule.metric && !rule.ratio && !rule.funnel)
      context.addIssue({ code: 'invalid_value', values: METRIC_NAMES, path: ['metric'], input: rule.metric });
    for (const { path, message } of unfitRatio(rule)) problem(path, message);
    for (const { path, message } of unfitComparison(rule)) problem(path, message);
    for (const { path, message } of outsideFireBounds(rule.fire, rule.recover))
      problem(['recover', ...path], message);
    for (const { path, message } of unanswerable(rule)) problem(path, message);
  });

/** The keys of a rule file, as people write them; `defaults` holds for every rule below that does not say otherwise. */
export const ruleFileSchema = z.strictObject({
  $schema: z.string().optional(),
  defaults: z.record(z.string(), z.unknown()).optional(),
  rules: z
    .array(
      z.record(z.string(), z.unknown(), 'a rule is a map of keys; write them below "- id: …"'),
      'must be a list of rules, each of which begins with "- id: …"',
    )
    .min(1, 'name at least one rule, below "- id: …"'),
});

export const ruleSetEntrySchema = ruleSchema;

/** A rule as it is stored: `entryOf` it. */
export const storedRuleSchema = ruleSchema.transform((entry) => buildRule(entry));

/** One rule as the judge reads it: words parsed, defaults filled in that follow from other keys. */
export type Rule = FigureRule | CompositeRule;

/** A rule that watches figures. */
export interface FigureRule extends AnyRule {
  metric: MetricName;
  /** How the baseline is made; `compare` says what was written, if anything was. */
  baseline: Comparison;
  members?: undefined;
}

/** A rule over rules: it watches whether others fire. */
export interface CompositeRule extends AnyRule {
  members: Members;
  metric?: undefined;
}

/** Keys that are filled in where an entry lacks them. */
type Completed = 'metric' | 'window' | 'restate_for' | 'minimum' | 'confidence' | 'false_discovery';

interface AnyRule extends Omit<RuleEntry, Completed> {
  cadence: Cadence;
  window: Grain;
  /** In minutes. */
  restate_for: number;
  minimum: { current: number; baseline: number; difference: number };
  confidence: number;
  false_discovery: { rate: number; method: (typeof FALSE_DISCOVERY_METHODS)[number] };
}

export type RuleEntry = z.output<typeof ruleSchema>;

/** A segment whose baseline is smaller is not tested beside the others: it could only cost them power. */
const MINIMUM_OF_SEGMENTS = 20;

/** A day is 24 looks at hours: as sure of each as of a day, a rule would find 7 of them a month by chance. */
const CONFIDENCE = 0.99;
const CONFIDENCE_OF_HOURS = 0.995;

/** Of the segments called significant; more in a rule that asks for less confidence, or that would change nothing. */
const FALSE_DISCOVERY_RATE = 0.05;

/** Late uploads come within hours for the most part; a window is looked at once more when this has gone by. */
const RESTATE_MINUTES: Record<Grain, number> = { hour: 360, day: 2880, week: 2880, month: 2880 };

/** The parsed rule of a valid entry. */
export function buildRule(entry: RuleEntry): Rule {
  const every = parseCadence(entry.every, entry.zone);
  if (every.kind === 'refused') throw new TypeError(`rule ${entry.id}: ${every.reason}`);
  const { cadence } = every;
  const window = entry.window ?? naturalWindow(cadence);
  const { metric = 'event_count', ...others } = entry;
  const members = membersOf(entry);
  const least = hasSegments(entry) && !members ? MINIMUM_OF_SEGMENTS : 0;
  const confidence = entry.confidence ?? (window === 'hour' ? CONFIDENCE_OF_HOURS : CONFIDENCE);
  const rule = {
    ...others,
    cadence,
    window,
    restate_for: entry.restate_for ?? RESTATE_MINUTES[window],
    minimum: { ...entry.minimum, baseline: entry.minimum.baseline ?? least },
    confidence,
    false_discovery: { ...entry.false_discovery, rate: entry.false_discovery.rate ?? rateFor(confidence) },
  };
  if (members) return { ...rule, members };
  const isAnomaly = entry.anomaly !== undefined && entry.fire === undefined;
  const baseline = entry.compare
    ? comparisonOf(entry.compare)
    : defaultComparison(metricOf(entry), window, isAnomaly);
  return { ...rule, metric, baseline };
}

function rateFor(confidence: number): number {
  return Math.max(FALSE_DISCOVERY_RATE, Number((1 - confidence).toFixed(6)));
}

/** The parsed rule of a valid entry that has figures of its own. Throws `TypeError` where it has none. */
export function buildFigureRule(entry: RuleEntry): FigureRule {
  const rule = buildRule(entry);
  if (rule.members) throw new TypeError(`rule ${entry.id} is about other rules`);
  return rule;
}

/** Whether several series are watched, each with an alert of its own. */
export function hasSegments({ group_by, funnel }: Pick<RuleEntry, 'group_by' | 'funnel'>): boolean {
  return group_by !== undefined || funnel !== undefined;
}

/** The entry that `rule` was built from, as people write it but with every default: what is stored and read back. */
export function entryOf(rule: Rule): z.input<typeof ruleSchema> {
  if (rule.members) {
    const { cadence: _, members: __, ...entry } = rule;
    return z.encode(ruleSchema, entry);
  }
  const { cadence: _, baseline: __, members: ___, ...entry } = rule;
  return z.encode(ruleSchema, entry);
}

/** Baselines and bounds that say nothing about the rule's windows. */
function unfitComparison({ every, zone, window, compare, anomaly, fire }: RuleEntry): Fault[] {
  const parsed = parseCadence(every, zone);
  const grain = window ?? (parsed.kind === 'cadence' ? naturalWindow(parsed.cadence) : undefined);
  const wrong: Fault[] = [];
  if (!fire && !anomaly)
    wrong.push({ path: ['fire'], message: 'give the bounds to breach, or "anomaly: true" to have none' });
  if (grain === 'month' && (compare?.to === 'same_weekday' || compare?.median_of !== undefined))
    wrong.push({ path: ['compare'], message: 'a month has no weekday; use "previous_period"' });
  const isSeasonal = anomaly !== undefined || compare?.to === 'seasonal';
  if (isSeasonal && (grain === 'week' || grain === 'month'))
    wrong.push({
      path: [anomaly === undefined ? 'compare' : 'anomaly'],
      message: `what is usual for a ${grain} is not known; use windows of an hour or a day`,
    });
  return wrong;
}
