import type { CompositeRule, Rule } from './rule.ts';
import type { Fault } from './unsupported-filters.ts';

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
