import * as z from 'zod';
import { slug } from '../text/text-schemas.ts';
import type { Fault } from './unsupported-filters.ts';

const MOST_MEMBERS = 20;

export const memberIdsSchema = z
  .array(slug)
  .min(2, 'name at least two rules')
  .max(MOST_MEMBERS, `name at most ${MOST_MEMBERS} rules`)
  .refine((ids) => new Set(ids).size === ids.length, { error: 'name each rule once' });

/** The rules that a rule is about, and how many of them must fire. */
export interface Members {
  needs: 'all' | 'any';
  ruleIds: string[];
}

/** The two keys that make a rule a composite, as an entry has them. */
interface Named {
  all_of?: string[] | undefined;
  any_of?: string[] | undefined;
}

export function membersOf({ all_of, any_of }: Named): Members | undefined {
  if (all_of) return { needs: 'all', ruleIds: all_of };
  return any_of && { needs: 'any', ruleIds: any_of };
}

/** What only a rule with figures of its own can have. */
const OF_FIGURES = [
  'metric',
  'ratio',
  'funnel',
  'compare',
  'anomaly',
  'holidays',
  'fire',
  'recover',
] as const;

type Entry = Named &
  Partial<Record<(typeof OF_FIGURES)[number], unknown>> & {
    filters: unknown[];
    minimum: { current: number; baseline?: number | undefined; difference: number };
  };

/** Keys that go ill with a rule over rules, if it is one. */
export function unfitMembers(rule: Entry): Fault[] {
  if (!membersOf(rule)) return [];
  const key = rule.all_of ? 'all_of' : 'any_of';
  const { current, baseline = 0, difference } = rule.minimum;
  const given = [
    ...OF_FIGURES.filter((each) => rule[each] !== undefined),
    ...(rule.filters.length > 0 ? ['filters'] : []),
    ...(current + baseline + difference > 0 ? ['minimum'] : []),
  ];
  const message = `a rule with "${key}" has no figures of its own; leave this out`;
  return [
    ...(rule.all_of && rule.any_of ? [{ path: ['any_of'], message: 'a rule has "all_of" or "any_of"' }] : []),
    ...given.map((path) => ({ path: [path], message })),
  ];
}
