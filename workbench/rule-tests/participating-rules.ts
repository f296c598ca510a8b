import type { Subject } from '../../shared/readings/reading.ts';
import { seriesOf } from '../../shared/readings/series.ts';
import { computedOf } from '../../shared/rules/figures.ts';
import { type AskedMetric, rowMetricOf } from '../../shared/rules/metric.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';
import type { SeriesSubject } from './bound-series.ts';
import { answeringSeries, segmentOf } from './series-source.ts';

/** The rules with all their series, and composite rules of such; or those `named`, and their members. */
export function rulesTakingPart(rules: Rule[], series: SeriesSubject[], named: string[] | undefined): Rule[] {
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

function isGivenAll(rule: FigureRule, series: SeriesSubject[]): boolean {
  return neededBy(rule).every((needed) => {
    const given = seriesGiving(rule, needed, series);
    if (needed.eventNames.length === 0) return given.length > 0;
    return needed.eventNames.every((name) => given.some(({ event }) => event === name));
  });
}

/** What a rule needs of the service: one metric of its events, or each figure that it is computed from. */
interface Needed extends Pick<Subject, 'endpoint' | 'filters' | 'segmentBy' | 'thenBy'> {
  metric: AskedMetric;
  eventNames: string[];
}

function neededBy(rule: FigureRule): Needed[] {
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
function seriesGiving(
  { app }: FigureRule,
  { metric, eventNames, ...subject }: Needed,
  series: SeriesSubject[],
): SeriesSubject[] {
  const own = series.filter((each) => each.app === undefined || each.app === app);
  return answeringSeries(own, subject).filter(
    (each) =>
      each.metric.key === metric.key &&
      (eventNames.length === 0 || (each.event !== undefined && eventNames.includes(each.event))) &&
      (!subject.segmentBy || segmentOf(each, subject.segmentBy.attribute) !== undefined),
  );
}

/** The series that give figures to the rule. */
export function seriesFor(rule: FigureRule, series: SeriesSubject[]): SeriesSubject[] {
  return [...new Set(neededBy(rule).flatMap((needed) => seriesGiving(rule, needed, series)))];
}

/** Why no rule uses the values of a series. */
export function whyUnused({ event }: SeriesSubject, rules: Rule[]): string {
  const needed = rules.flatMap((rule) => (rule.members ? [] : neededBy(rule)));
  const events = [...new Set(needed.flatMap(({ eventNames }) => eventNames))];
  if (event !== undefined && !events.includes(event))
    return `no rule watches the event "${event}"${didYouMean(event, events)}`;
  return 'no rule uses these values; a rule needs series with its metric, filters and app, for each of its events, and with "segment" if it has "group_by"';
}
