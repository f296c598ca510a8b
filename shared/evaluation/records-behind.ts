import { ATTRIBUTES } from '../contract/attributes.ts';
import { type Filter, OPERATORS } from '../contract/filters.ts';
import { OTHERS } from '../contract/grouping.ts';
import { seriesKeyOf, windowFilter } from '../readings/series.ts';
import { computedOf } from '../rules/figures.ts';
import { groupsOf } from '../rules/group-by.ts';
import { type Endpoint, propertyFilter } from '../rules/metric.ts';
import type { FigureRule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import { segmentValues } from '../text/segment-name.ts';
import type { Window } from '../time/window.ts';
import { segmentFilter } from './driver-questions.ts';

/** The filters of a list of events or sessions that one figure of a rule counts. */
export interface RecordsBehind {
  /** The event or the part of a computed metric; `null` if the figure is the only one. */
  name: string | null;
  endpoint: 'event' | 'session';
  filters: Filter[];
}

/**
 * The lists behind the figures of `window`, one for each part of a computed metric. Empty for figures of users, and for
 * a segment that no filter selects: without a value, or the folded rest.
 */
export function recordsBehind(rule: FigureRule, segment: string | null, window: Window): RecordsBehind[] {
  const inSegment = isSelectable(rule, segment) ? segmentFilter(rule, segment) : undefined;
  if (!inSegment) return [];
  return figuresOf(rule, segment).flatMap(({ name, endpoint, filters }) => {
    const all = [windowFilter(window), ...rule.filters, ...filters, ...inSegment];
    const isAccepted = all.every(({ attribute }) => ATTRIBUTES[attribute].filtersOn.includes(endpoint));
    return endpoint !== 'user' && isAccepted ? [{ name, endpoint, filters: all }] : [];
  });
}

function figuresOf(rule: FigureRule, segment: string | null) {
  const computed = computedOf(rule);
  if (computed)
    return [...computed.parts].map(([name, { metric, filters }]) => figureOf(name, metric.endpoint, filters));
  const { endpoint } = metricOf(rule);
  const { eventName, per } = seriesKeyOf(rule, segment);
  if (eventName !== undefined && per !== undefined)
    return [eventName, per].map((value) =>
      figureOf(value, endpoint, [{ attribute: 'event_name', operator: 'equal', value }]),
    );
  return [figureOf(null, endpoint, typeof rule.metric === 'object' ? [propertyFilter(rule.metric)] : [])];
}

function figureOf(name: string | null, endpoint: Endpoint, filters: Filter[]) {
  return { name, endpoint, filters };
}

function isSelectable(rule: FigureRule, segment: string | null): boolean {
  const groups = groupsOf(rule);
  if (segment === null || groups.length === 0) return true;
  const values = groups.length > 1 ? segmentValues(segment) : [segment];
  const isFiltered = groups.every(({ attribute }) => OPERATORS[ATTRIBUTES[attribute].type].includes('equal'));
  return isFiltered && values.every((value) => value !== '' && value !== OTHERS);
}
