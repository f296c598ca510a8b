import { ATTRIBUTES, type AttributeName } from '../contract/attributes.ts';
import type { Filter } from '../contract/filters.ts';
import { OTHERS } from '../contract/grouping.ts';
import { LEGACY_PAGE_SIZE } from '../contract/requests.ts';
import type { Question } from '../readings/reading.ts';
import { questionFor, seriesKeyOf } from '../readings/series.ts';
import { groupsOf } from '../rules/group-by.ts';
import type { Metric } from '../rules/metric.ts';
import type { FigureRule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import { EMPTY_TEXT, NO_VALUE, segmentValues } from '../text/segment-name.ts';
import type { Window } from '../time/window.ts';

/** Attributes that can explain a change. */
export const DRIVER_ATTRIBUTES = [
  'device_platform',
  'app_version',
  'device_country',
  'device_model',
  'event_screen_name',
] as const satisfies AttributeName[];
export type DriverAttribute = (typeof DRIVER_ATTRIBUTES)[number];

/** Values distinguished per attribute; the rest is folded. */
const GROUPS = 100;

/** A breach of a rule, in a segment or in the whole (`null`). */
export interface Breach {
  rule: FigureRule;
  segment: string | null;
  window: Window;
  /** A past window that was read, whatever baseline the rule uses. */
  baselineWindow: Window;
}

/**
 * One question for each attribute that the rule does not fix. Empty if the segment cannot be filtered: no value, or
 * the folded rest. Also empty for sums and extremes of a property and for computed metrics.
 */
export function driverQuestions(breach: Breach): Question[] {
  if (!hasDrivers(metricOf(breach.rule))) return [];
  if (breach.segment === NO_VALUE || breach.segment === OTHERS) return [];
  return openAttributes(breach).map((attribute) => questionOf(breach, [attribute], GROUPS));
}

/** Figures that are neither counted nor averaged cannot be split among the values of an attribute. */
function hasDrivers(metric: Metric): boolean {
  const isSplit = metric.kind === 'count' || metric.kind === 'mean' || metric.kind === 'ratio';
  return isSplit && !('computed' in metric);
}

/** The question about two attributes together. All combinations and the rest fit on one page. */
export function pairQuestion(breach: Breach, attributes: [DriverAttribute, DriverAttribute]): Question {
  const { eventNames = [] } = questionOf(breach, attributes, GROUPS);
  const combinations = LEGACY_PAGE_SIZE.max / Math.max(1, eventNames.length);
  return questionOf(breach, attributes, Math.floor(Math.sqrt(combinations)) - 1);
}

function openAttributes({ rule, segment }: Breach): DriverAttribute[] {
  const { endpoint } = metricOf(rule);
  const equal = [...rule.filters, ...segmentFilter(rule, segment)].filter(
    ({ operator }) => operator === 'equal',
  );
  const fixed = new Set<string>(equal.map(({ attribute }) => attribute));
  return DRIVER_ATTRIBUTES.filter(
    (attribute) => ATTRIBUTES[attribute].groupsOn.includes(endpoint) && !fixed.has(attribute),
  );
}

function questionOf(
  { rule, segment, window, baselineWindow }: Breach,
  attributes: DriverAttribute[],
  groups: number,
): Question {
  const { segmentBy: _, thenBy: __, eventNames: ___, filters, ...asked } = questionFor([rule], window);
  const { eventName, per } = seriesKeyOf(rule, segment);
  const eventNames = [eventName, per].filter((name) => name !== undefined);
  return {
    ...asked,
    ...(eventNames.length > 0 && { eventNames }),
    previous: baselineWindow,
    filters: [...filters, ...segmentFilter(rule, segment)],
    groupBy: attributes.map((attribute) => ({ attribute, max_group_number: groups })),
  };
}

/** A filter for each attribute of the segment that has a value. */
function segmentFilter(rule: FigureRule, segment: string | null): Filter[] {
  const groups = groupsOf(rule);
  if (segment === null) return [];
  const values = groups.length > 1 ? segmentValues(segment) : [segment];
  return groups.flatMap(({ attribute, property_name }, i): Filter[] => {
    const found = values[i] ?? NO_VALUE;
    if (groups.length > 1 && found === NO_VALUE) return [];
    const text = found === EMPTY_TEXT ? '' : found;
    const value = ATTRIBUTES[attribute].type === 'boolean' ? text === 'true' : text;
    return [{ attribute, ...(property_name !== undefined && { property_name }), operator: 'equal', value }];
  });
}
