import * as z from 'zod';
import type { Filter } from '../../analytics/filters.ts';
import type { GroupBy } from '../../analytics/grouping.ts';
import { type MetricName, metricOf } from './metrics.ts';
import type { Fault } from './unsupported-filters.ts';

const MAX_STEPS = 10;

const eventName = z.string().min(1);

/** So many of one event to so many of another. */
export const ratioSchema = z
  .strictObject({ of: eventName, to: eventName })
  .refine(({ of, to }) => of !== to, { error: 'name two events: of one to itself there is always 1' });
export type Ratio = z.output<typeof ratioSchema>;

/** Events in the order in which people come to them. */
export const funnelSchema = z
  .array(eventName)
  .min(2, 'name at least two events')
  .max(MAX_STEPS, `name at most ${MAX_STEPS} events`)
  .refine((steps) => new Set(steps).size === steps.length, { error: 'name each event once' });

/** One ratio of a funnel, under the name that its segment goes by. */
export interface Step extends Ratio {
  segment: string;
}

/** Each event to the one before it and, where that is not the same, the last to the first. */
export function stepsOf(funnel: readonly string[]): Step[] {
  const step = (to: string, of: string): Step => ({ segment: `${to} → ${of}`, of, to });
  const steps = funnel.flatMap((name, i) => {
    const before = funnel[i - 1];
    return before === undefined ? [] : [step(before, name)];
  });
  const [first, last] = [funnel[0], funnel.at(-1)];
  return steps.length > 1 && first && last ? [...steps, step(first, last)] : steps;
}

/** Keys that go ill with the rule's ratio or funnel, if it has one. */
export function unfitRatio({ metric, ratio, funnel, filters, group_by }: Asked): Fault[] {
  if (!ratio && !funnel) return [];
  const key = ratio ? 'ratio' : 'funnel';
  const wrong: Fault[] = [];
  if (ratio && funnel) wrong.push({ path: ['funnel'], message: 'a rule has a "ratio" or a "funnel"' });
  if (metric && !isCountOfEvents(metric))
    wrong.push({
      path: ['metric'],
      message: `a ${key} is one of event_count, event_users or event_sessions`,
    });
  for (const [i, { attribute }] of filters.entries())
    if (attribute === 'event_name')
      wrong.push({ path: ['filters', i], message: `the events are those of "${key}"; leave this out` });
  if (ratio && group_by === 'event_name')
    wrong.push({ path: ['group_by'], message: 'the events are those of "ratio"; leave this out' });
  if (funnel && group_by)
    wrong.push({
      path: ['group_by'],
      message: 'each step of a funnel is watched by itself; leave this out, or watch one step as a "ratio"',
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
