import type { Filter } from '../../shared/contract/filters.ts';
import { OTHERS } from '../../shared/contract/grouping.ts';
import { segmentFilter } from '../../shared/evaluation/driver-questions.ts';
import { levelOf } from '../../shared/rules/bounds.ts';
import { onlyGroupOf } from '../../shared/rules/group-by.ts';
import type { MetricName } from '../../shared/rules/metric-table.ts';
import { metricOf } from '../../shared/rules/metrics.ts';
import { type EventRatio, eventRatioOf, stepsOf } from '../../shared/rules/ratio.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { areDisjoint } from './disjoint-filters.ts';

export type Direction = 'rise' | 'fall';
const BOTH: readonly Direction[] = ['rise', 'fall'];

/** What an incident affects. A missing key does not limit it, but an app without `metrics` matches no figure. */
export type About = Moved &
  ({ rules: string[] } | { app: string; metrics?: readonly MetricName[] | 'any' | undefined });

interface Moved {
  /** Events, sessions or users that match all of these filters. */
  filters?: Filter[] | undefined;
  /** A segment of the named rules. */
  segment?: string | undefined;
  direction?: Direction | undefined;
}

/** One series of a rule. `watched` lists the rule's segments; all others are folded into one. */
export interface WatchedSeries {
  rule: Rule;
  segment: string | null;
  watched: ReadonlySet<string>;
}

/**
 * Whether the incident moves the figure of an alert in its direction. A composite alert has no figure
 * (`null`): only a label that names its rule affects it.
 */
export function touches(about: About, series: WatchedSeries, direction: Direction | null): boolean {
  const ways = waysOf(about, series);
  return direction === null ? ways.length > 0 : ways.includes(direction);
}

/** Whether the incident moves the figure of a series, in any direction. */
export function concerns(about: About, series: WatchedSeries): boolean {
  return waysOf(about, series).length > 0;
}

/** Direction of the change; `change` is `null` for a rise from 0. */
export function directionOf(
  rule: Rule,
  { current, change }: { current: number | null; change: number | null },
): Direction | null {
  if (rule.members) return null;
  const level = rule.fire && current !== null ? levelOf(rule.fire, current) : undefined;
  if (level && level !== 'within') return level.side === 'above' ? 'rise' : 'fall';
  return change !== null && change < 0 ? 'fall' : 'rise';
}

/** Directions in which the incident moves the figure. Empty where it does not affect it. */
function waysOf(about: About, series: WatchedSeries): readonly Direction[] {
  const { rule, segment } = series;
  if ('rules' in about) {
    const { segment: named } = about;
    if (!about.rules.includes(rule.id)) return [];
    // A rule's total includes the segment.
    if (named !== undefined && segment !== null && segment !== named) return [];
    if (rule.members) return BOTH;
  } else if (rule.members || about.app !== rule.app || !isOfMetric(about.metrics, rule)) return [];
  const ways = about.direction ? [about.direction] : BOTH;
  const ratio = ratioOf(rule, segment);
  if (!ratio) return meets(about, rule, partOf(series)) ? ways : [];
  const isOf = meets(about, rule, [...partOf(series), eventNamed(ratio.of)]);
  const isTo = meets(about, rule, [...partOf(series), eventNamed(ratio.to)]);
  if ('rules' in about) return isOf || isTo ? ways : [];
  // An incident that affects both events of a ratio does not move the ratio.
  if (isOf === isTo) return [];
  return isOf ? ways : ways.map(opposite);
}

function isOfMetric(metrics: readonly MetricName[] | 'any' | undefined, { metric }: FigureRule): boolean {
  if (metrics === undefined || metrics === 'any') return metrics === 'any';
  return metrics.some((each) => each === metric);
}

/** Whether the rule's filters and segment overlap the incident. */
function meets({ filters = [] }: About, rule: FigureRule, part: Filter[]): boolean {
  const hasOneEventName = metricOf(rule).endpoint === 'event';
  const own = [...rule.filters, ...part];
  return !filters.some((theirs) => own.some((each) => areDisjoint(theirs, each, { hasOneEventName })));
}

/** The segment of a series as a filter. */
function partOf({ rule, segment, watched }: WatchedSeries): Filter[] {
  const attribute = onlyGroupOf(rule);
  if (segment !== OTHERS) return rule.members ? [] : segmentFilter(rule, segment);
  if (attribute === undefined) return [];
  return watched.size > 0 ? [{ attribute, operator: 'not_in', value: [...watched] }] : [];
}

function ratioOf({ ratio, funnel }: FigureRule, segment: string | null): EventRatio | undefined {
  return funnel ? stepsOf(funnel).find((step) => step.segment === segment) : eventRatioOf(ratio);
}

function eventNamed(value: string): Filter {
  return { attribute: 'event_name', operator: 'equal', value };
}

function opposite(direction: Direction): Direction {
  return direction === 'rise' ? 'fall' : 'rise';
}
