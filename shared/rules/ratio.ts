import * as z from 'zod';
import type { Filter } from '../contract/filters.ts';
import { canonical } from '../text/content-hash.ts';
import { computedOf, type Figures, figureSchema, type RatioSide } from './figures.ts';
import { namesIn, parseFormula } from './formula.ts';
import { groupsOf, type SegmentRule } from './group-by.ts';
import { METRICS } from './metrics.ts';
import type { Fault } from './unsupported-filters.ts';

const MAX_STEPS = 10;

const eventName = z.string().min(1);
const side = z.union(
  [eventName, figureSchema],
  'write the name of an event, or { metric: …, filters: […] }',
) satisfies z.ZodType<RatioSide>;

/** One count divided by another: the counts of two events, or any two counts. */
export const ratioSchema = z
  .strictObject({ of: side, to: side })
  .refine(({ of, to }) => canonical(of) !== canonical(to), {
    error: 'name two different events; an event divided by itself is always 1',
  });

/** The count of event `of` divided by the count of event `to`. */
export interface EventRatio {
  of: string;
  to: string;
}

/** Events in the order in which users reach them. */
export const funnelSchema = z
  .array(eventName)
  .min(2, 'name at least two events')
  .max(MAX_STEPS, `name at most ${MAX_STEPS} events`)
  .refine((steps) => new Set(steps).size === steps.length, { error: 'name each event once' });

/** One ratio of a funnel, with the name of its segment. */
export interface Step extends EventRatio {
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

/** The events of a ratio of two events; `undefined` for a ratio of other counts. */
export function eventRatioOf(ratio: Figures['ratio']): EventRatio | undefined {
  if (!ratio) return undefined;
  const { of, to } = ratio;
  return typeof of === 'string' && typeof to === 'string' ? { of, to } : undefined;
}

/** Keys that contradict the rule's ratio, funnel or formula. Empty for any other rule. */
export function unfitRatio(rule: Asked): Fault[] {
  const { metric, ratio, funnel, filters } = rule;
  const keys = (['ratio', 'funnel', 'formula'] as const).filter((key) => rule[key] !== undefined);
  const [key, ...others] = keys;
  const wrong: Fault[] = [...unfitFormula(rule), ...unfitUnit(rule), ...unfitSides(ratio)];
  wrong.push(...unfitWithin(rule));
  if (key === undefined) return wrong;
  for (const other of others)
    wrong.push({ path: [other], message: `a rule has either a "${key}" or a "${other}"; remove one` });
  const namesEvents = typeof ratio?.of === 'string' || typeof ratio?.to === 'string' || funnel;
  if (metric && !namesEvents)
    wrong.push({ path: ['metric'], message: `"${key}" names its own metrics; remove this` });
  else if (metric && !isCountOfEvents(metric))
    wrong.push({
      path: ['metric'],
      message: `a ${key} needs event_count, event_users or event_sessions`,
    });
  if (!namesEvents) return wrong;
  for (const [i, { attribute }] of filters.entries())
    if (attribute === 'event_name')
      wrong.push({ path: ['filters', i], message: `"${key}" already names the events; remove this` });
  const groups = groupsOf(rule);
  if (ratio && groups.some(({ attribute }) => attribute === 'event_name'))
    wrong.push({ path: ['group_by'], message: '"ratio" already names the events; remove this' });
  if (funnel && groups.length > 0)
    wrong.push({
      path: ['group_by'],
      message: 'the steps of a funnel are its segments; remove this, or watch one step as a "ratio"',
    });
  return wrong;
}

function unfitWithin({ within, metric, ratio, funnel }: Asked): Fault[] {
  if (within === undefined) return [];
  if (!funnel && !eventRatioOf(ratio))
    return [{ path: ['within'], message: 'is for a "funnel" or a "ratio" of two events; remove this' }];
  if (metric === undefined || metric === 'event_users') return [];
  return [{ path: ['metric'], message: 'with "within" users are counted; remove this' }];
}

interface Asked extends Figures, SegmentRule {
  funnel?: string[] | undefined;
  within?: number | undefined;
  filters: Filter[];
  unit?: string | undefined;
}

function isCountOfEvents(metric: NonNullable<Figures['metric']>): boolean {
  if (typeof metric === 'object') return false;
  const { endpoint, kind } = METRICS[metric];
  return endpoint === 'event' && kind === 'count';
}

/** Only counts have the chance model of a ratio. */
function unfitSides(ratio: Figures['ratio']): Fault[] {
  return (['of', 'to'] as const).flatMap((key): Fault[] => {
    const given = ratio?.[key];
    if (given === undefined || typeof given === 'string') return [];
    const { metric } = given;
    if (typeof metric === 'string' && METRICS[metric].kind === 'count') return [];
    const message = 'a ratio divides counts; write a "formula" for other figures';
    return [{ path: ['ratio', key, 'metric'], message }];
  });
}

function unfitFormula({ formula, figures }: Asked): Fault[] {
  if (formula === undefined)
    return figures
      ? [{ path: ['figures'], message: 'write a "formula" of these figures, or remove them' }]
      : [];
  if (!figures)
    return [{ path: ['formula'], message: 'name its figures: figures: { a: { metric: event_count }, … }' }];
  const parsed = parseFormula(formula);
  if (parsed.kind === 'fault')
    return [{ path: ['formula'], message: `column ${parsed.at}: ${parsed.message}` }];
  const names = namesIn(parsed.expression);
  const known = Object.keys(figures);
  const unknown = names.filter((name) => !known.includes(name));
  const unused = known.filter((name) => !names.includes(name));
  if (names.length === 0) return [{ path: ['formula'], message: 'names no figure; use those of "figures"' }];
  return [
    ...unknown.map((name) => ({
      path: ['formula'],
      message: `column ${columnOf(name, formula)}: "figures" has no "${name}"; it has ${known.join(', ')}`,
    })),
    ...unused.map((name) => ({ path: ['figures', name], message: '"formula" does not use this; remove it' })),
  ];
}

function columnOf(name: string, formula: string): number {
  return formula.search(new RegExp(`(?<![a-z0-9_])${name}(?![a-z0-9_])`)) + 1;
}

function unfitUnit({ unit, metric, ...rule }: Asked): Fault[] {
  if (unit === undefined || typeof metric === 'object' || computedOf({ metric, ...rule }) || rule.formula)
    return [];
  const message =
    'only a formula, a ratio of counts or a number of a property has a unit of its own; remove this';
  return [{ path: ['unit'], message }];
}
