import { seriesOf } from '../../shared/alerting/readings/series.ts';
import { type Metric, metricOf } from '../../shared/alerting/rules/metrics.ts';
import type { FigureRule, Rule } from '../../shared/alerting/rules/rule.ts';
import { didYouMean } from '../../shared/alerting/text/nearest-words.ts';
import type { Grain } from '../../shared/alerting/time/window.ts';
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
  const counted = countedOf(rule);
  if (interval === window) return undefined;
  if (!MAKE_UP[interval].includes(window)) return `${id} has windows shorter than one ${interval}`;
  if (addsUp(counted)) return undefined;
  return `${id} watches ${counted.unit}, which cannot be added across ${interval}s, because one may be in several: write values per ${window}`;
}

/** Whether figures of several windows or segments can be added or averaged. People can be in more than one. */
export function addsUp(metric: CountedMetric): boolean {
  return metric.kind === 'mean' ? metric.endpoint === 'session' : metric.addsUp;
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
  return otherFilters(seriesOf(rule).filters).length > 0;
}

function isGivenAll(rule: FigureRule, series: BoundSeries[]): boolean {
  const given = seriesFor(rule, series);
  const { eventNames } = seriesOf(rule);
  if (eventNames.length === 0) return given.length > 0;
  return eventNames.every((name) => given.some(({ event }) => event === name));
}

/** The series that give figures to the rule. */
export function seriesFor(rule: FigureRule, series: BoundSeries[]): BoundSeries[] {
  const { app, eventNames, ...subject } = seriesOf(rule);
  const counted = countedOf(rule);
  const own = series.filter((each) => each.app === undefined || each.app === app);
  return answeringSeries(own, subject).filter(
    (each) =>
      each.metric.key === counted.key &&
      (eventNames.length === 0 || (each.event !== undefined && eventNames.includes(each.event))) &&
      (!subject.segmentBy || segmentOf(each, subject.segmentBy.attribute) !== undefined),
  );
}

type CountedMetric = Exclude<Metric, { kind: 'ratio' }>;

/** The denominator of a ratio. */
export function countedOf(rule: FigureRule): CountedMetric {
  const metric = metricOf(rule);
  return metric.kind === 'ratio' ? metric.counted : metric;
}

/** Why no rule uses the values of a series, with the nearest rules. */
export function whyUnacknowledged(series: BoundSeries, rules: Rule[]): string {
  const figured = rules.flatMap((rule) => (rule.members ? [] : [rule]));
  const { event, segment, metric } = series;
  const sameEvent = figured.filter(
    (rule) =>
      event === undefined ||
      seriesOf(rule).eventNames.includes(event) ||
      (watchesMany(rule) && countedOf(rule).key === metric.key),
  );
  const events = figured.flatMap((rule) => seriesOf(rule).eventNames);
  if (event !== undefined && sameEvent.length === 0)
    return `no rule watches the event "${event}"${didYouMean(event, [...new Set(events)])}`;
  const sameMetric = sameEvent.filter((rule) => countedOf(rule).key === metric.key);
  if (sameMetric.length === 0) {
    const watched = [...new Set(sameEvent.map((rule) => rule.metric))].join(', ');
    return `no rule watches this metric${event === undefined ? '' : ` of "${event}"`}; rules watch ${watched}`;
  }
  const grouped = sameMetric.find((rule) => rule.group_by !== undefined);
  if (segment === undefined && grouped)
    return `${grouped.id} watches each ${grouped.group_by} separately: set "segment" in the series`;
  const part = sameMetric.find(isOfPart);
  if (part && series.filters?.length === 0)
    return `${part.id} has filters: set the same "filters" in the series, or name the rule in "rules"`;
  const incomplete = sameMetric.find((rule) => seriesOf(rule).eventNames.length > 1);
  if (incomplete)
    return `${incomplete.id} needs a series for each of ${seriesOf(incomplete).eventNames.join(', ')}`;
  return 'no rule uses these values: check their filters, app and group_by';
}

/** A rule without an event name may count any event. */
function watchesMany(rule: FigureRule): boolean {
  return countedOf(rule).endpoint === 'event' && seriesOf(rule).eventNames.length === 0;
}
