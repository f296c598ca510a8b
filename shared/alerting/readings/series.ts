import type { Filter } from '../../analytics/filters.ts';
import { type Aggregation, type GroupBy, OTHERS } from '../../analytics/grouping.ts';
import { isUpperLevel } from '../rules/bounds.ts';
import { type Endpoint, metricOf } from '../rules/metrics.ts';
import { type Ratio, stepsOf } from '../rules/ratio.ts';
import type { FigureRule, Rule } from '../rules/rule.ts';
import { MAX_SEGMENTS } from '../rules/rule-schema.ts';
import { canonical, contentHash } from '../text/content-hash.ts';
import { type Calendar, type Window, windowBefore } from '../time/window.ts';
import type { Question, RangeQuestion, SeriesKey, Subject } from './reading.ts';

/** What a rule requests from the service. */
export interface Series {
  /** A hash of everything that rules must have in common to share one call. */
  family: string;
  app: string;
  endpoint: Endpoint;
  calendar: Calendar;
  filters: Filter[];
  segmentBy?: GroupBy;
  /** The events that the rule names. One call can request many. */
  eventNames: string[];
}

const KNOWN_SERIES = new WeakMap<FigureRule, Series>();

/**
 * The series that `rule` watches. Rules that differ only in event name, metric and bounds have the same family. Cached,
 * as rules are immutable and a run needs it dozens of times.
 */
export function seriesOf(rule: FigureRule): Series {
  const found = KNOWN_SERIES.get(rule) ?? newSeriesOf(rule);
  KNOWN_SERIES.set(rule, found);
  return found;
}

function newSeriesOf(rule: FigureRule): Series {
  const { endpoint } = metricOf(rule);
  const byName = (filter: Filter) =>
    endpoint === 'event' &&
    filter.attribute === 'event_name' &&
    filter.operator === 'equal' &&
    typeof filter.value === 'string';
  const name = rule.filters.filter(byName).length === 1 ? rule.filters.find(byName) : undefined;
  const shared = {
    app: rule.app,
    endpoint,
    calendar: { grain: rule.window, zone: rule.zone },
    filters: rule.filters.filter((filter) => filter !== name).toSorted(byText),
    ...(rule.group_by && { segmentBy: { attribute: rule.group_by, max_group_number: MAX_SEGMENTS } }),
  };
  const { ratio, funnel } = rule;
  const eventNames = ratio ? [ratio.of, ratio.to] : (funnel ?? (name ? [String(name.value)] : []));
  const family = contentHash({ ...shared, named: eventNames.length > 0 });
  return { family, ...shared, eventNames };
}

/**
 * The key of the rule's segment within its family; `null` is the rule as a whole. For the segment `OTHERS`, `watched`
 * are the segments that it excludes.
 */
export function seriesKeyOf(
  rule: FigureRule,
  segment: string | null,
  watched?: ReadonlySet<string>,
): SeriesKey {
  const { ratio, funnel } = rule;
  if (funnel) return keyOfRatio(stepsOf(funnel).find((step) => step.segment === segment));
  const [eventName] = seriesOf(rule).eventNames;
  return {
    ...(ratio ? keyOfRatio(ratio) : eventName !== undefined && { eventName }),
    ...(segment === OTHERS && watched ? { outside: watched } : segment !== null && { segment }),
    ...zeroBefore(rule),
  };
}

/** A rule with only an upper bound of the level needs no baseline: its first window can breach. */
function zeroBefore({ fire, new_segments }: FigureRule): Pick<SeriesKey, 'zeroBefore'> {
  if (isUpperLevel(fire)) return { zeroBefore: 'series' };
  return new_segments === 'report' ? { zeroBefore: 'segment' } : {};
}

function keyOfRatio(ratio: Ratio | undefined): SeriesKey {
  return ratio ? { eventName: ratio.of, per: ratio.to } : {};
}

/** One question about `window` for all of `rules`, which must have the same family. */
export function questionFor(rules: FigureRule[], window: Window): Question {
  const subject = subjectOf(rules);
  return { ...subject, window, previous: windowBefore(window, subject.calendar) };
}

/** One question about consecutive `windows` for all of `rules`, which must have the same family. */
export function rangeQuestionFor(rules: FigureRule[], windows: Window[]): RangeQuestion {
  return { ...subjectOf(rules), windows };
}

function subjectOf(rules: FigureRule[]): Subject {
  const [first] = rules;
  if (!first) throw new RangeError('a question needs at least one rule');
  const { app, endpoint, calendar, filters, segmentBy } = seriesOf(first);
  const eventNames = [...new Set(rules.flatMap((rule) => seriesOf(rule).eventNames))].sort();
  return {
    app,
    endpoint,
    calendar,
    filters,
    ...(eventNames.length > 0 && { eventNames }),
    ...(segmentBy && { segmentBy }),
    aggregations: aggregationsFor(rules),
  };
}

/** Counts before means: the service ranks segments by the first aggregation, and the largest should be kept. */
function aggregationsFor(rules: FigureRule[]): Aggregation[] {
  const counts = new Map<string, Aggregation>();
  const means = new Map<string, Aggregation>();
  for (const metric of rules.map((rule) => metricOf(rule))) {
    (metric.kind === 'mean' ? means : counts).set(metric.key, metric.aggregation);
    if (metric.kind === 'mean') counts.set(metric.weight.key, metric.weight.aggregation);
  }
  const inOrder = (each: Map<string, Aggregation>) => [...each].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [...inOrder(counts), ...inOrder(means)].map(([, aggregation]) => aggregation);
}

/** The row keys that the answer to `questionFor(rules, ...)` must have. */
export function rowKeysOf(rules: FigureRule[]): string[] {
  const keys = rules
    .map((rule) => metricOf(rule))
    .flatMap((metric) => (metric.kind === 'mean' ? [metric.key, metric.weight.key] : [metric.key]));
  return [...new Set(keys)].sort();
}

const KNOWN_MEANINGS = new WeakMap<Rule, string>();

/**
 * A hash of the meaning of a rule, without its title, owner and runbook. The part before the dot is what it watches, the
 * part after it is how it evaluates.
 */
export function meaningOf(rule: Rule): string {
  const found = KNOWN_MEANINGS.get(rule) ?? newMeaningOf(rule);
  KNOWN_MEANINGS.set(rule, found);
  return found;
}

function newMeaningOf(rule: Rule): string {
  if (rule.members) {
    const { id, app, members, window, zone, group_by, settle, fire_after, recover_after } = rule;
    return `${contentHash([app, members, window, zone, group_by])}.${contentHash({ id, settle, fire_after, recover_after })}`;
  }
  const { family, eventNames } = seriesOf(rule);
  const { id, baseline, anomaly, holidays, fire, recover, minimum, confidence, false_discovery } = rule;
  const { fire_after, recover_after, settle, max_segments, new_segments } = rule;
  const held = { id, baseline, anomaly, holidays, fire, recover, minimum, confidence, false_discovery };
  const evaluation = { ...held, fire_after, recover_after, settle, max_segments, new_segments };
  return `${contentHash([family, eventNames, rule.metric, metricOf(rule).kind])}.${contentHash(evaluation)}`;
}

/** Whether rules of these meanings watch the same figures. */
export function watchTheSame(meaning: string, other: string): boolean {
  return meaning.split('.')[0] === other.split('.')[0];
}

function byText(a: unknown, b: unknown): number {
  return canonical(a) < canonical(b) ? -1 : 1;
}
