import { stringify } from 'yaml';
import { groupText } from '../../shared/rules/group-by.ts';
import type { AskedMetric, PropertyMetric } from '../../shared/rules/metric.ts';
import { METRICS } from '../../shared/rules/metric-table.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import type { Grain } from '../../shared/time/window.ts';
import type { BoundSeries } from './bound-series.ts';
import { neededBy, rulesTakingPart, seriesGiving, whyNotDerivedFrom } from './participating-rules.ts';
import { otherFilters } from './series-source.ts';

/** Why a rule that the test expects alerts from is not tested, and what it lacks. */
export function whyNoPart(
  rule: Rule,
  rules: Rule[],
  { series, interval, named }: { series: BoundSeries[]; interval: Grain; named: string[] | undefined },
): string {
  if (named) return `${rule.id} is not tested: "rules" does not list it`;
  const isGiven = (id: string) => rulesTakingPart(rules, series, undefined).some((each) => each.id === id);
  const over = rule.members
    ? rules.filter(({ id }) => rule.members?.ruleIds.includes(id) && !isGiven(id))
    : [rule];
  const [lacking] = over.flatMap((each) => (each.members ? [] : each));
  if (!lacking) return `${rule.id} is not tested: one of its member rules is not tested`;
  const why = isGiven(lacking.id) ? whyNotDerivedFrom(lacking, interval) : undefined;
  const whose = lacking === rule ? 'it' : `its member ${lacking.id}`;
  return `${rule.id} is not tested: ${why ?? `no series has values for ${whose}; add ${wantedBy(lacking, series)}`}`;
}

/** The series that the rule lacks, in the notation of the file, without values. */
function wantedBy(rule: FigureRule, series: BoundSeries[]): string {
  const wanted = neededBy(rule).flatMap((needed) => {
    const { eventNames, filters, metric } = needed;
    const given = new Set(seriesGiving(rule, needed, series).map(({ event }) => event));
    const ofPart = otherFilters(filters);
    const rest = {
      ...((eventNames.length === 0 || metric !== METRICS.event_count) && { metric: writtenAs(metric) }),
      ...(rule.group_by && { segment: `one ${groupText(rule)}` }),
      ...(ofPart.length > 0 && { filters: ofPart }),
    };
    if (eventNames.length === 0) return given.size > 0 ? [] : [rest];
    return eventNames.filter((event) => !given.has(event)).map((event) => ({ event, ...rest }));
  });
  return wanted
    .map((each) => stringify(each, { collectionStyle: 'flow', lineWidth: 0 }).trim())
    .join(' and ');
}

/** A metric as rules and tests write it. */
function writtenAs(metric: AskedMetric): string | PropertyMetric {
  const named = Object.entries<AskedMetric>(METRICS).find(([, each]) => each === metric);
  if (named) return named[0];
  const [operation = ''] = metric.unit.split(' ');
  return { [operation]: metric.aggregation.property_name };
}
