import { levelOf } from '../../shared/alerting/rules/bounds.ts';
import { type MetricName, metricOf } from '../../shared/alerting/rules/metrics.ts';
import { type Ratio, stepsOf } from '../../shared/alerting/rules/ratio.ts';
import type { FigureRule, Rule } from '../../shared/alerting/rules/rule.ts';
import type { Filter } from '../../shared/analytics/filters.ts';
import { OTHERS } from '../../shared/analytics/grouping.ts';
import { areDisjoint } from './disjoint-filters.ts';

export type Direction = 'rise' | 'fall';
const BOTH: readonly Direction[] = ['rise', 'fall'];

/**
 * What an incident touches, as far as its label says. What it leaves out it does not limit; but of an app without
 * `metrics` nothing is known to have moved.
 */
export type About = Moved &
  ({ rules: string[] } | { app: string; metrics?: readonly MetricName[] | 'any' | undefined });

interface Moved {
  /** Of events, sessions or users for which all of these hold. */
  filters?: Filter[] | undefined;
  /** Of rules that are named: one of their segments. */
  segment?: string | undefined;
  direction?: Direction | undefined;
}

/** One series of a rule. `watched`: the segments of the rule, outside of which all that is folded lies. */
export interface WatchedSeries {
  rule: Rule;
  segment: string | null;
  watched: ReadonlySet<string>;
}

/**
 * Whether the incident moves the figure that an alert is about, and in the alert's direction. An alert of a rule over
 * rules has no figure (`null`); only a label that names the rule touches it.
 */
export function touches(about: About, series: WatchedSeries, direction: Direction | null): boolean {
  const ways = waysOf(about, series);
  return direction === null ? ways.length > 0 : ways.includes(direction);
}

/** Whether the incident moves the figure of a series in any direction. */
export function concerns(about: About, series: WatchedSeries): boolean {
  return waysOf(about, series).length > 0;
}

/** Which way what an alert fired on had gone; `change` is `null` for a rise from 0. */
export function directionOf(
  rule: Rule,
  { current, change }: { current: number | null; change: number | null },
): Direction | null {
  if (rule.members) return null;
  const level = rule.fire && current !== null ? levelOf(rule.fire, current) : undefined;
  if (level && level !== 'within') return level.side === 'above' ? 'rise' : 'fall';
  return change !== null && change < 0 ? 'fall' : 'rise';
}

/** The directions in which the incident moves the figure: none where it does not touch it. */
function waysOf(about: About, series: WatchedSeries): readonly Direction[] {
  const { rule, segment } = series;
  if ('rules' in about) {
    const { segment: named } = about;
    if (!about.rules.includes(rule.id)) return [];
    // The rule as a whole has the segment in it.
    if (named !== undefined && segment !== null && segment !== named) return [];
    if (rule.members) return BOTH;
  } else if (rule.members || about.app !== rule.app || !isOfMetric(about.metrics, rule)) return [];
  const ways = about.direction ? [about.direction] : BOTH;
  const ratio = ratioOf(rule, segment);
  if (!ratio) return meets(about, rule, partOf(series)) ? ways : [];
  const isOf = meets(about, rule, [...partOf(series), eventNamed(ratio.of)]);
  const isTo = meets(about, rule, [...partOf(series), eventNamed(ratio.to)]);
  if ('rules' in about) return isOf || isTo ? ways : [];
  // What moves both events alike does not move the one to the other.
  if (isOf === isTo) return [];
  return isOf ? ways : ways.map(opposite);
}

function isOfMetric(metrics: readonly MetricName[] | 'any' | undefined, { metric }: FigureRule): boolean {
  return metrics !== undefined && (metrics === 'any' || metrics.includes(metric));
}

/** Nothing that the rule filters by, or by which it is parted, lies wholly outside of the incident. */
function meets({ filters = [] }: About, rule: FigureRule, part: Filter[]): boolean {
  const hasOneEventName = metricOf(rule).endpoint === 'event';
  const own = [...rule.filters, ...part];
  return !filters.some((theirs) => own.some((each) => areDisjoint(theirs, each, { hasOneEventName })));
}

/** The series among those of its rule, as a filter. */
function partOf({ rule: { group_by: attribute }, segment, watched }: WatchedSeries): Filter[] {
  if (attribute === undefined || segment === null) return [];
  if (segment !== OTHERS) return [{ attribute, operator: 'equal', value: segment }];
  return watched.size > 0 ? [{ attribute, operator: 'not_in', value: [...watched] }] : [];
}

function ratioOf({ ratio, funnel }: FigureRule, segment: string | null): Ratio | undefined {
  return funnel ? stepsOf(funnel).find((step) => step.segment === segment) : ratio;
}

function eventNamed(value: string): Filter {
  return { attribute: 'event_name', operator: 'equal', value };
}

function opposite(direction: Direction): Direction {
  return direction === 'rise' ? 'fall' : 'rise';
}
