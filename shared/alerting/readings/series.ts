import type { Filter } from '../../analytics/filters.ts';
import { type Aggregation, type GroupBy, OTHERS } from '../../analytics/grouping.ts';
import { isUpperLevel } from '../rules/bounds.ts';
import { type Endpoint, metricOf } from '../rules/metrics.ts';
import { type Ratio, stepsOf } from '../rules/ratio.ts';
import type { FigureRule, Rule } from '../rules/rule.ts';
import { MAX_SEGMENTS } from '../rules/rule.ts';
import { canonical, contentHash } from '../text/content-hash.ts';
import { type Calendar, type Window, windowBefore } from '../time/window.ts';
import type { Question, RangeQuestion, SeriesKey, Subject } from './reading.ts';

/** What a rule asks of the service, parted into what it shares with other rules and what is its own. */
export interface Series {
  /** Names all that rules must have in common to be answered by one call. */
  family: string;
  app: string;
  endpoint: Endpoint;
  calendar: Calendar;
  filters: Filter[];
  segmentBy?: GroupBy;
  /** The events that the rule is about, where it names them: a call can ask about many. */
  eventNames: string[];
}

const KNOWN_SERIES = new WeakMap<FigureRule, Series>();

/**
 * The series that `rule` watches. Rules that differ only in event name, metric and bounds are of one family. Worked out
 * once of a rule, which is never changed: a run asks dozens of times.
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
 * Which series of its family the rule's segment is; that of the rule as a whole for `null`. `watched` are the segments
 * that those of `OTHERS` lie outside of.
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

/** An upper bound of the level needs nothing to compare with: the first window that is above it breaches. */
function zeroBefore({ fire, new_segments }: FigureRule): Pick<SeriesKey, 'zeroBefore'> {
  if (isUpperLevel(fire)) return { zeroBefore: 'series' };
  return new_segments === 'report' ? { zeroBefore: 'segment' } : {};
}

function keyOfRatio(ratio: Ratio | undefined): SeriesKey {
  return ratio ? { eventName: ratio.of, per: ratio.to } : {};
}

/** The one question about `window` that answers all of `rules`, which must be of one family. */
export function questionFor(rules: FigureRule[], window: Window): Question {
  const subject = subjectOf(rules);
  return { ...subject, window, previous: windowBefore(window, subject.calendar) };
}

/** The one question about each of `windows`, consecutive ones, that answers all of `rules`. */
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

/** Counts before means: a service keeps the segments that lead in the first of them, and these should be the large. */
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

/** Row keys that the answer to `questionFor(rules, ...)` must hold. */
export function rowKeysOf(rules: FigureRule[]): string[] {
  const keys = rules
    .map((rule) => metricOf(rule))
    .flatMap((metric) => (metric.kind === 'mean' ? [metric.key, metric.weight.key] : [metric.key]));
  return [...new Set(keys)].sort();
}

const KNOWN_MEANINGS = new WeakMap<Rule, string>();

/**
 * Changes when, and only when, a rule's meaning does; titles, owners and runbooks are no part of it. What is watched
 * stands before the dot, how it is judged after it.
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

/** Whether rules of these meanings watch the same figures, however they judge them. */
export function watchTheSame(meaning: string, other: string): boolean {
  return meaning.split('.')[0] === other.split('.')[0];
}

function byText(a: unknown, b: unknown): number {
  return canonical(a) < canonical(b) ? -1 : 1;
}
