import * as z from 'zod';
import { slug } from '../text/text-schemas.ts';
import type { Fault } from './unsupported-filters.ts';

const MOST_MEMBERS = 20;

export const memberIdsSchema = z
  .array(slug)
  .min(2, 'name at least two rules')
  .max(MOST_MEMBERS, `name at most ${MOST_MEMBERS} rules`)
  .refine((ids) => new Set(ids).size === ids.length, { error: 'name each rule once' });

/** The members of a rule over rules, and how many of them must fire. */
export interface Members {
  needs: 'all' | 'any';
  ruleIds: string[];
}

/** The two keys that make a rule a rule over rules. */
interface Named {
  all_of?: string[] | undefined;
  any_of?: string[] | undefined;
}

export function membersOf({ all_of, any_of }: Named): Members | undefined {
  if (all_of) return { needs: 'all', ruleIds: all_of };
  return any_of && { needs: 'any', ruleIds: any_of };
}

/** Keys that a rule over rules cannot have. */
const OF_FIGURES = [
  'metric',
  'ratio',
  'funnel',
  'within',
  'formula',
  'figures',
  'unit',
  'compare',
  'anomaly',
  'sensitivity',
  'holidays',
  'fire',
  'recover',
] as const;

type Entry = Named &
  Partial<Record<(typeof OF_FIGURES)[number], unknown>> & {
    filters: unknown[];
    minimum: { current?: number | undefined; baseline?: number | undefined; difference: number };
  };

/** Keys that a rule over rules must not have. Empty for any other rule. */
export function unfitMembers(rule: Entry): Fault[] {
  if (!membersOf(rule)) return [];
  const key = rule.all_of ? 'all_of' : 'any_of';
  const { current = 0, baseline = 0, difference } = rule.minimum;
  const given = [
    ...OF_FIGURES.filter((each) => rule[each] !== undefined),
    ...(rule.filters.length > 0 ? ['filters'] : []),
    ...(current + baseline + difference > 0 ? ['minimum'] : []),
  ];
  const message = `a rule with "${key}" has no figures of its own; remove this`;
  return [
    ...(rule.all_of && rule.any_of
      ? [{ path: ['any_of'], message: 'a rule has either "all_of" or "any_of"; remove one' }]
      : []),
    ...given.map((path) => ({ path: [path], message })),
  ];
}
