import type { Filter } from '../contract/filters.ts';
import { type Aggregation, OTHERS } from '../contract/grouping.ts';
import { isUpperLevel } from '../rules/bounds.ts';
import { MAX_SEGMENTS } from '../rules/defaults.ts';
import { type Computed, computedOf } from '../rules/figures.ts';
import { groupsOf } from '../rules/group-by.ts';
import {
  type Endpoint,
  rowKeysOf as keysOfRow,
  measuresOf,
  propertyFilter,
  rowMetricOf,
} from '../rules/metric.ts';
import { type EventRatio, eventRatioOf, stepsOf } from '../rules/ratio.ts';
import type { FigureRule, Rule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import { canonical, contentHash } from '../text/content-hash.ts';
import { type Window, windowBefore } from '../time/window.ts';
import { lazyBy } from '../units/lazy.ts';
import type { Question, QuestionPart, RangeQuestion, SeriesKey, Subject } from './reading.ts';

export interface Series extends Omit<Subject, 'eventNames' | 'groupBy' | 'aggregations'> {
  /** A hash of everything that rules must have in common to share one call. */
  family: string;
  /** The events that the rule names. One call can request many. */
  eventNames: string[];
}

/**
 * The series that `rule` watches. Rules that differ only in event name, metric and bounds have the same family. Cached,
 * as rules are immutable and a run needs it dozens of times.
 */
export const seriesOf = lazyBy(newSeriesOf, new WeakMap<FigureRule, Series>());

function newSeriesOf(rule: FigureRule): Series {
  const computed = computedOf(rule);
  if (computed) return computedSeriesOf(rule, computed);
  const { endpoint } = metricOf(rule);
  const { metric, ratio, funnel } = rule;
  const own = typeof metric === 'object' ? [propertyFilter(metric)] : [];
  const { filters, eventName } = withoutName(endpoint, [...rule.filters, ...own]);
  const events = eventRatioOf(ratio);
  const eventNames = events
    ? [events.of, events.to]
    : (funnel ?? (eventName === undefined ? [] : [eventName]));
  const steps = events ? eventNames.toReversed() : eventNames;
  const shared = {
    ...sharedBy(rule),
    ...{ endpoint, filters },
    ...(rule.within !== undefined && { funnel: { steps, minutes: rule.within } }),
  };
  const family = contentHash({ ...shared, named: eventNames.length > 0 });
  return { family, ...shared, eventNames };
}

/** The figures of a computed metric have rows of their own, so only rules with the same parts share them. */
function computedSeriesOf(rule: FigureRule, { parts: computedFrom }: Computed): Series {
  const parts = [...computedFrom].map(([name, { metric, filters: own }]): QuestionPart => {
    const { endpoint } = metric;
    const { filters, eventName } = withoutName(endpoint, [...rule.filters, ...own]);
    const aggregations = measuresOf(metric).map(({ aggregation }) => aggregation);
    return { name, endpoint, filters, ...(eventName !== undefined && { eventName }), aggregations };
  });
  const { endpoint } = metricOf(rule);
  const shared = { ...sharedBy(rule), endpoint, filters: rule.filters.toSorted(byText), parts };
  return { family: contentHash(shared), ...shared, eventNames: [] };
}

/** The values of each attribute that are not folded, if segments are values of two: all combinations fit one answer. */
const MAX_OF_TWO = 50;

function sharedBy(rule: FigureRule) {
  const { app, window, zone } = rule;
  const [segmentBy, thenBy] = groupsOf(rule);
  const max_group_number = thenBy ? MAX_OF_TWO : MAX_SEGMENTS;
  return {
    app,
    calendar: { grain: window, zone },
    ...(segmentBy && { segmentBy: { ...segmentBy, max_group_number } }),
    ...(thenBy && { thenBy: { ...thenBy, max_group_number } }),
  };
}

/** The filters in order, without the only one that names an event, because one call can request many events. */
function withoutName(endpoint: Endpoint, filters: Filter[]): { filters: Filter[]; eventName?: string } {
  const names = filters.filter(
    ({ attribute, operator, value }) =>
      endpoint === 'event' && attribute === 'event_name' && operator === 'equal' && typeof value === 'string',
  );
  const name = names.length === 1 ? names[0] : undefined;
  const others = filters.filter((filter) => filter !== name).toSorted(byText);
  return { filters: others, ...(name && { eventName: String(name.value) }) };
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
  const events = eventRatioOf(ratio);
  return {
    ...(events ? keyOfRatio(events) : eventName !== undefined && { eventName }),
    ...(segment === OTHERS && watched ? { outside: watched } : segment !== null && { segment }),
    ...zeroBefore(rule),
  };
}

/** A rule with only an upper bound of the level needs no baseline: its first window can breach. */
function zeroBefore({ fire, new_segments }: FigureRule): Pick<SeriesKey, 'zeroBefore'> {
  if (isUpperLevel(fire)) return { zeroBefore: 'series' };
  return new_segments === 'report' ? { zeroBefore: 'segment' } : {};
}

function keyOfRatio(ratio: EventRatio | undefined): SeriesKey {
  return ratio ? { eventName: ratio.of, per: ratio.to } : {};
}

/** The most segments in an answer, with the rest of each attribute. */
export function segmentsIn({ segmentBy, thenBy }: Pick<Subject, 'segmentBy' | 'thenBy'>): number {
  return ((segmentBy?.max_group_number ?? 0) + 1) * ((thenBy?.max_group_number ?? 0) + 1);
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
  const { family: _, eventNames: __, ...asked } = seriesOf(first);
  const eventNames = [...new Set(rules.flatMap((rule) => seriesOf(rule).eventNames))].sort();
  return {
    ...asked,
    ...(eventNames.length > 0 && { eventNames }),
    aggregations: asked.parts ? [] : aggregationsFor(rules),
  };
}

/** Counts before means: the service ranks segments by the first aggregation, and the largest should be kept. */
function aggregationsFor(rules: FigureRule[]): Aggregation[] {
  const counts = new Map<string, Aggregation>();
  const others = new Map<string, Aggregation>();
  for (const metric of rules.map((rule) => rowMetricOf(metricOf(rule)))) {
    if ('computed' in metric) continue;
    (metric.kind === 'count' ? counts : others).set(metric.key, metric.aggregation);
    if ('weight' in metric) counts.set(metric.weight.key, metric.weight.aggregation);
  }
  const inOrder = (each: Map<string, Aggregation>) => [...each].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [...inOrder(counts), ...inOrder(others)].map(([, aggregation]) => aggregation);
}

/** The row keys that the answer to `questionFor(rules, ...)` must have. */
export function rowKeysOf(rules: FigureRule[]): string[] {
  const keys = rules.flatMap((rule) => keysOfRow(rowMetricOf(metricOf(rule))));
  return [...new Set(keys)].sort();
}

/** A hash of a rule without title, owner and runbook: before the dot what it watches, after it how it evaluates. */
export const meaningOf = lazyBy(newMeaningOf, new WeakMap<Rule, string>());

function newMeaningOf(rule: Rule): string {
  if (rule.members) {
    const { id, app, members, window, zone, group_by, settle, fire_after, recover_after } = rule;
    return `${contentHash([app, members, window, zone, group_by])}.${contentHash({ id, settle, fire_after, recover_after })}`;
  }
  const { family, eventNames } = seriesOf(rule);
  const { id, baseline, anomaly, holidays, fire, recover, minimum, confidence, false_discovery } = rule;
  const { sensitivity, fire_after, recover_after, settle, max_segments, new_segments } = rule;
  const held = { id, baseline, anomaly, holidays, fire, recover, minimum, confidence, false_discovery };
  const evaluation = { ...held, sensitivity, fire_after, recover_after, settle, max_segments, new_segments };
  const watched = rule.formula === undefined ? [] : [rule.formula];
  return `${contentHash([family, eventNames, rule.metric, metricOf(rule).kind, ...watched])}.${contentHash(evaluation)}`;
}

/** Whether rules of these meanings watch the same figures. */
export function watchTheSame(meaning: string, other: string): boolean {
  return meaning.split('.')[0] === other.split('.')[0];
}

function byText(a: unknown, b: unknown): number {
  return canonical(a) < canonical(b) ? -1 : 1;
}

/** Timestamps are exact and the interval is half-open, like windows. */
export function windowFilter({ startAt, endAt }: Window): Filter {
  const value = { lower: new Date(startAt).toISOString(), upper: new Date(endAt).toISOString() };
  return { attribute: 'date_range', operator: 'between_dates', value };
}
