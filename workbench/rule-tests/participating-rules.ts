import type { Subject } from '../../shared/readings/reading.ts';
import { seriesOf } from '../../shared/readings/series.ts';
import { computedOf, ownFigures } from '../../shared/rules/figures.ts';
import { groupText } from '../../shared/rules/group-by.ts';
import { type AskedMetric, rowMetricOf } from '../../shared/rules/metric.ts';
import { metricOf } from '../../shared/rules/metrics.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';
import type { Grain } from '../../shared/time/window.ts';
import type { BoundSeries } from './bound-series.ts';
import { answeringSeries, otherFilters, segmentOf } from './series-source.ts';

/** Windows that each interval can be added up to. */
const MAKE_UP: Record<Grain, Grain[]> = {
  hour: ['hour', 'day', 'week', 'month'],
  day: ['day', 'week', 'month'],
  week: ['week'],
  month: ['month'],
};

/** Why values per `interval` do not give the rule's figures; `undefined` where they do. */
export function whyNotDerivedFrom(rule: FigureRule, interval: Grain): string | undefined {
  const { id, window } = rule;
  if (interval === window) return undefined;
  if (!MAKE_UP[interval].includes(window)) return `${id} has windows shorter than one ${interval}`;
  const counted = neededBy(rule).find(({ metric }) => !addsUp(metric))?.metric;
  if (!counted) return undefined;
  const why =
    counted.kind === 'percentile'
      ? 'because it does not follow from those of its parts'
      : 'because one may be in several';
  return `${id} watches ${counted.unit}, which cannot be added across ${interval}s, ${why}: write values per ${window}`;
}

/** Whether figures of several windows or segments can be added or averaged. People can be in more than one. */
export function addsUp(metric: AskedMetric): boolean {
  if (metric.kind === 'mean') return metric.endpoint !== 'user';
  if (metric.kind === 'percentile') return false;
  return metric.kind !== 'count' || metric.addsUp;
}

/**
 * The rules that a test evaluates: those with all their series, and composite rules of such rules. `named`
 * limits them to the rules that the test names, and their members.
 */
export function rulesTakingPart(rules: Rule[], series: BoundSeries[], named: string[] | undefined): Rule[] {
  if (named) {
    const wanted = new Set(named);
    for (const rule of rules)
      if (wanted.has(rule.id)) for (const id of rule.members?.ruleIds ?? []) wanted.add(id);
    return rules.filter(({ id }) => wanted.has(id));
  }
  const figured = new Set(
    rules.flatMap((rule) => (!rule.members && isGivenAll(rule, series) ? [rule.id] : [])),
  );
  return rules.filter(({ id, members }) =>
    members ? members.ruleIds.every((each) => figured.has(each)) : figured.has(id),
  );
}

/**
 * Series without filters match only rules without filters, so that a test does not change when its folder
 * grows. If the test names rules that all have filters, they match those.
 */
export function withFilters(
  series: BoundSeries[],
  rules: Rule[],
  named: string[] | undefined,
): BoundSeries[] {
  const asked = named ? rulesTakingPart(rules, series, named) : [];
  const figured = asked.flatMap((rule) => (rule.members ? [] : [rule]));
  return series.map((each) => {
    const isOfAny = named && !figured.some((rule) => !isOfPart(rule) && seriesFor(rule, [each]).length > 0);
    return each.filters || isOfAny ? each : { ...each, filters: [] };
  });
}

function isOfPart(rule: FigureRule): boolean {
  return neededBy(rule).some(({ filters }) => otherFilters(filters).length > 0);
}

function isGivenAll(rule: FigureRule, series: BoundSeries[]): boolean {
  return neededBy(rule).every((needed) => {
    const given = seriesGiving(rule, needed, series);
    if (needed.eventNames.length === 0) return given.length > 0;
    return needed.eventNames.every((name) => given.some(({ event }) => event === name));
  });
}

/** What a rule needs of the service: one metric of its events, or each figure that it is computed from. */
export interface Needed extends Pick<Subject, 'endpoint' | 'filters' | 'segmentBy' | 'thenBy'> {
  metric: AskedMetric;
  eventNames: string[];
}

export function neededBy(rule: FigureRule): Needed[] {
  const { endpoint, filters, segmentBy, thenBy, eventNames, parts } = seriesOf(rule);
  const shared = { ...(segmentBy && { segmentBy }), ...(thenBy && { thenBy }) };
  const metric = rowMetricOf(metricOf(rule));
  if (!('computed' in metric)) return [{ endpoint, filters, ...shared, eventNames, metric }];
  const metrics = computedOf(rule)?.parts;
  return (parts ?? []).flatMap(({ name, eventName, ...part }): Needed[] => {
    const own = metrics?.get(name)?.metric;
    return own
      ? [
          {
            ...{ endpoint: part.endpoint, filters: part.filters, ...shared, metric: own },
            eventNames: eventName === undefined ? [] : [eventName],
          },
        ]
      : [];
  });
}

/** The series that give one of the figures that a rule needs. */
export function seriesGiving(
  { app }: FigureRule,
  { metric, eventNames, ...subject }: Needed,
  series: BoundSeries[],
): BoundSeries[] {
  const own = series.filter((each) => each.app === undefined || each.app === app);
  return answeringSeries(own, subject).filter(
    (each) =>
      each.metric.key === metric.key &&
      (eventNames.length === 0 || (each.event !== undefined && eventNames.includes(each.event))) &&
      (!subject.segmentBy || segmentOf(each, subject.segmentBy.attribute) !== undefined),
  );
}

/** The series that give figures to the rule. */
export function seriesFor(rule: FigureRule, series: BoundSeries[]): BoundSeries[] {
  return [...new Set(neededBy(rule).flatMap((needed) => seriesGiving(rule, needed, series)))];
}

/** Why no rule uses the values of a series, with the nearest rules. */
export function whyUnacknowledged(series: BoundSeries, rules: Rule[]): string {
  const figured = rules.flatMap((rule) => (rule.members ? [] : [rule]));
  const { event, segment, metric } = series;
  const sameEvent = figured.filter(
    (rule) => event === undefined || namesOf(rule).includes(event) || watchesMany(rule, metric),
  );
  const events = figured.flatMap(namesOf);
  if (event !== undefined && sameEvent.length === 0)
    return `no rule watches the event "${event}"${didYouMean(event, [...new Set(events)])}`;
  const sameMetric = sameEvent.filter((rule) =>
    neededBy(rule).some((needed) => needed.metric.key === metric.key),
  );
  if (sameMetric.length === 0) {
    const watched = [...new Set(sameEvent.flatMap(metricsOf))].join(', ');
    return `no rule watches this metric${event === undefined ? '' : ` of "${event}"`}; rules watch ${watched}`;
  }
  const grouped = sameMetric.find((rule) => rule.group_by !== undefined);
  if (segment === undefined && grouped)
    return `${grouped.id} watches each ${groupText(grouped)} separately: set "segment" in the series`;
  const part = sameMetric.find(isOfPart);
  if (part && series.filters?.length === 0)
    return `${part.id} has filters: set the same "filters" in the series, or name the rule in "rules"`;
  const incomplete = sameMetric.find((rule) => namesOf(rule).length > 1);
  if (incomplete) return `${incomplete.id} needs a series for each of ${namesOf(incomplete).join(', ')}`;
  return 'no rule uses these values: check their filters, app and group_by';
}

/** A rule without an event name may count any event. */
function watchesMany(rule: FigureRule, metric: AskedMetric): boolean {
  return neededBy(rule).some(
    ({ endpoint, eventNames, metric: own }) =>
      endpoint === 'event' && eventNames.length === 0 && own.key === metric.key,
  );
}

function namesOf(rule: FigureRule): string[] {
  return neededBy(rule).flatMap(({ eventNames }) => eventNames);
}

/** As rules write them. */
function metricsOf(rule: FigureRule): string[] {
  const written = [rule.metric, ...ownFigures(rule).map(({ metric }) => metric)];
  return written.flatMap((each) =>
    each === undefined ? [] : typeof each === 'object' ? JSON.stringify(each) : each,
  );
}
