import * as z from 'zod';
import { slug } from '../text/text-schemas.ts';
import type { CompositeRule, Rule, RuleEntry } from './rule.ts';
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

export function membersOf({ all_of, any_of }: Pick<RuleEntry, 'all_of' | 'any_of'>): Members | undefined {
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

/** Keys that go ill with a rule over rules, if it is one. */
export function unfitMembers(rule: RuleEntry): Fault[] {
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

/** What is wrong with the members of `rule` in the set it is deployed in; a member that there is not is for others to say. */
export function unfitAmong({ all_of, ...rule }: CompositeRule, rules: ReadonlyMap<string, Rule>): Fault[] {
  return rule.members.ruleIds.flatMap((id, i) => {
    const member = rules.get(id);
    const message = member && unfit({ ...rule, all_of }, member);
    return message === undefined ? [] : [{ path: [all_of ? 'all_of' : 'any_of', i], message }];
  });
}

/** Members are judged in the same run, and window by window, so they must agree on when. */
function unfit(rule: CompositeRule, member: Rule): string | undefined {
  if (member.members) return `"${member.id}" is itself a rule over rules; name the rules that it names`;
  const differing = (['app', 'every', 'window', 'zone'] as const).find((key) => rule[key] !== member[key]);
  if (differing)
    return `"${member.id}" has another "${differing}" (${member[differing]}); it must be that of this rule (${rule[differing]})`;
  if (rule.group_by && rule.group_by !== member.group_by)
    return `"${member.id}" has no "group_by: ${rule.group_by}"; leave it out here, and any of its segments will do`;
  return undefined;
}
