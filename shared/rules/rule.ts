import * as z from 'zod';
import { type Cadence, naturalWindow } from '../time/cadence.ts';
import { parseCadence } from '../time/parse-cadence.ts';
import type { Grain } from '../time/window.ts';
import { isLevel } from './bounds.ts';
import { type Comparison, comparisonOf, defaultComparison } from './comparison.ts';
import { type Members, membersOf } from './composite-members.ts';
import {
  CONFIDENCE,
  CONFIDENCE_OF_HOURS,
  FALSE_DISCOVERY_RATE,
  MINIMUM_BETWEEN_SEGMENTS,
  MINIMUM_OF_SEGMENTS,
  RESTATE_MINUTES,
} from './defaults.ts';
import { type FALSE_DISCOVERY_METHODS, type RuleEntry, ruleSchema, SEVERITIES } from './rule-schema.ts';
import { metricOf } from './watched-metric.ts';

/** A rule file. `defaults` apply to every rule that does not override them. */
export const ruleFileSchema = z.strictObject({
  $schema: z.string().optional(),
  defaults: z.record(z.string(), z.unknown()).optional(),
  rules: z
    .array(
      z.record(z.string(), z.unknown(), 'must be a map of keys that starts with "- id: …"'),
      'must be a list of rules that each start with "- id: …"',
    )
    .min(1, 'must contain at least one rule that starts with "- id: …"'),
});

export const ruleSetEntrySchema = ruleSchema;

/** A rule as `entryOf` returns it. */
export const storedRuleSchema = ruleSchema.transform((entry) => buildRule(entry));

/** A rule that this version of the code has built and stored: parsing thousands again would take seconds. */
export const builtRuleSchema = z.custom<Rule>(
  (rule) => typeof rule === 'object' && rule !== null && 'id' in rule && 'cadence' in rule,
);

/** A parsed rule. Defaults that depend on other keys are filled in. */
export type Rule = FigureRule | CompositeRule;

/** A rule that watches a metric. */
export interface FigureRule extends AnyRule {
  /** Of a ratio of events or a funnel, the count of each; `undefined` if all figures name their own. */
  metric: RuleEntry['metric'];
  /** From `compare`, or the default for the metric and the window. */
  baseline: Comparison;
  members?: undefined;
}

/** A rule over rules: it watches whether its members fire. */
export interface CompositeRule extends AnyRule {
  members: Members;
  metric?: undefined;
}

/** Keys that get a value if the entry lacks them. */
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

/** Parses a valid entry. Throws `TypeError` if `every` is invalid. */
export function buildRule(entry: RuleEntry): Rule {
  const every = parseCadence(entry.every, entry.zone);
  if (every.kind === 'refused') throw new TypeError(`rule ${entry.id}: ${every.reason}`);
  const { cadence } = every;
  const window = entry.window ?? naturalWindow(cadence);
  const { metric: given, sensitivity, ...others } = entry;
  const counted = entry.within === undefined ? 'event_count' : 'event_users';
  const metric = given ?? (namesAllMetrics(entry) ? undefined : counted);
  const members = membersOf(entry);
  const confidence = entry.confidence ?? (window === 'hour' ? CONFIDENCE_OF_HOURS : CONFIDENCE);
  const rate = Math.max(FALSE_DISCOVERY_RATE, Number((1 - confidence).toFixed(6)));
  const rule = {
    ...others,
    ...(sensitivity === 'normal' ? {} : { sensitivity }),
    cadence,
    window,
    // Until then, users of the window can still reach the next event.
    settle: Math.max(entry.settle, entry.within ?? 0),
    restate_for: entry.restate_for ?? RESTATE_MINUTES[window],
    confidence,
    false_discovery: { ...entry.false_discovery, rate: entry.false_discovery.rate ?? rate },
  };
  if (members) return { ...rule, members, minimum: minimumOf(entry, { current: 0, baseline: 0 }) };
  const baseline = entry.compare
    ? comparisonOf(entry.compare)
    : defaultComparison(metricOf(entry), window, entry);
  const isSmall = hasSegments(entry) && !boundsLevel(entry) && countsOccurrences(entry);
  const least = comparesSegments({ baseline })
    ? { current: MINIMUM_BETWEEN_SEGMENTS, baseline: MINIMUM_BETWEEN_SEGMENTS }
    : { current: 0, baseline: isSmall ? MINIMUM_OF_SEGMENTS : 0 };
  return { ...rule, metric, baseline, minimum: minimumOf(entry, least) };
}

function minimumOf(
  { minimum: { current, baseline, difference } }: RuleEntry,
  least: { current: number; baseline: number },
): Rule['minimum'] {
  return { current: current ?? least.current, baseline: baseline ?? least.baseline, difference };
}

/** Whether no side of the rule's ratio or formula is counted by its `metric`. */
function namesAllMetrics({ ratio, formula }: RuleEntry): boolean {
  return formula !== undefined || (typeof ratio?.of === 'object' && typeof ratio.to === 'object');
}

/** Whether `minimum` counts events, sessions or users, for which 20 is a small number. */
function countsOccurrences(entry: RuleEntry): boolean {
  const { kind } = metricOf(entry);
  return kind !== 'total' && kind !== 'value';
}

/** Parses a valid entry that watches a metric. Throws `TypeError` for a rule over rules. */
export function buildFigureRule(entry: RuleEntry): FigureRule {
  const rule = buildRule(entry);
  if (rule.members) throw new TypeError(`rule ${entry.id} is about other rules`);
  return rule;
}

/** Whether segments are compared with one another, and not with their past. */
export function comparesSegments({ baseline }: Pick<FigureRule, 'baseline'>): boolean {
  return baseline.to === 'other_segments' || baseline.to === 'previous_version';
}

/** Whether the level of the rule can become normal: it is compared with its own past. */
export function hasOwnLevel(rule: Rule): boolean {
  return !rule.members && !boundsLevel(rule) && !comparesSegments(rule);
}

/** Whether the rule bounds the value alone: it needs no baseline and has no test. */
export function boundsLevel({ fire, anomaly }: Pick<RuleEntry, 'fire' | 'anomaly'>): boolean {
  return fire !== undefined && isLevel(fire) && anomaly === undefined;
}

/** Whether the rule watches several series, each with its own alert. */
export function hasSegments({ group_by, funnel }: Pick<RuleEntry, 'group_by' | 'funnel'>): boolean {
  return group_by !== undefined || funnel !== undefined;
}

/** Whether the rule watches one count. */
export function isCount(rule: Rule): boolean {
  return !rule.members && !hasSegments(rule) && metricOf(rule).kind === 'count';
}

/** The entry of a rule file that `rule` was built from, with every default filled in. Throws for a rule of unknown form. */
export function entryOf(rule: Rule): z.input<typeof ruleSchema> {
  if (rule.members) {
    const { cadence: _, members: __, ...entry } = rule;
    return z.encode(ruleSchema, entry);
  }
  const { cadence: _, baseline: __, members: ___, ...entry } = rule;
  return z.encode(ruleSchema, entry);
}

/** The index in `SEVERITIES` of the most severe of `rules`; -1 if there are none. */
export function mostSevere(rules: (Pick<Rule, 'severity'> | undefined)[]): number {
  return Math.max(-1, ...rules.map((rule) => (rule ? SEVERITIES.indexOf(rule.severity) : -1)));
}
