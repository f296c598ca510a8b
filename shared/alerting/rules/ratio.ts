import * as z from 'zod';
import type { Filter } from '../../analytics/filters.ts';
import type { GroupBy } from '../../analytics/grouping.ts';
import { type MetricName, metricOf } from './metrics.ts';
import type { Fault } from './unsupported-filters.ts';

const MAX_STEPS = 10;

const eventName = z.string().min(1);

/** The count of event `of` divided by the count of event `to`. */
export const ratioSchema = z
  .strictObject({ of: eventName, to: eventName })
  .refine(({ of, to }) => of !== to, {
    error: 'name two different events; an event divided by itself is always 1',
  });
export type Ratio = z.output<typeof ratioSchema>;

/** Events in the order in which users reach them. */
export const funnelSchema = z
  .array(eventName)
  .min(2, 'name at least two events')
  .max(MAX_STEPS, `name at most ${MAX_STEPS} events`)
  .refine((steps) => new Set(steps).size === steps.length, { error: 'name each event once' });

/** One ratio of a funnel, with the name of its segment. */
export interface Step extends Ratio {
  segment: string;
}

/** The ratio of each event to the one before it. With three or more events, also of the last to the first. */
export function stepsOf(funnel: readonly string[]): Step[] {
  const step = (to: string, of: string): Step => ({ segment: `${to} → ${of}`, of, to });
  const steps = funnel.flatMap((name, i) => {
    const before = funnel[i - 1];
    return before === undefined ? [] : [step(before, name)];
  });
  const [first, last] = [funnel[0], funnel.at(-1)];
  return steps.length > 1 && first && last ? [...steps, step(first, last)] : steps;
}

/** Keys that contradict the rule's ratio or funnel. Empty for any other rule. */
export function unfitRatio({ metric, ratio, funnel, filters, group_by }: Asked): Fault[] {
  if (!ratio && !funnel) return [];
  const key = ratio ? 'ratio' : 'funnel';
  const wrong: Fault[] = [];
  if (ratio && funnel)
    wrong.push({ path: ['funnel'], message: 'a rule has either a "ratio" or a "funnel"; remove one' });
  if (metric && !isCountOfEvents(metric))
    wrong.push({
      path: ['metric'],
      message: `a ${key} needs event_count, event_users or event_sessions`,
    });
  for (const [i, { attribute }] of filters.entries())
    if (attribute === 'event_name')
      wrong.push({ path: ['filters', i], message: `"${key}" already names the events; remove this` });
  if (ratio && group_by === 'event_name')
    wrong.push({ path: ['group_by'], message: '"ratio" already names the events; remove this' });
  if (funnel && group_by)
    wrong.push({
      path: ['group_by'],
      message: 'the steps of a funnel are its segments; remove this, or watch one step as a "ratio"',
    });
  return wrong;
}

interface Asked {
  metric?: MetricName | undefined;
  ratio?: Ratio | undefined;
  funnel?: string[] | undefined;
  filters: Filter[];
  group_by?: GroupBy['attribute'] | undefined;
}

function isCountOfEvents(metric: MetricName): boolean {
  const { endpoint, kind } = metricOf({ metric });
  return endpoint === 'event' && kind === 'count';
}
