import { groupName, groupText } from './group-by.ts';
import type { CompositeRule, Rule } from './rule.ts';
import type { Fault } from './unsupported-filters.ts';

/** Faults of the members of `rule` among `rules`. Unknown members are reported elsewhere. */
export function unfitAmong({ all_of, ...rule }: CompositeRule, rules: ReadonlyMap<string, Rule>): Fault[] {
  return rule.members.ruleIds.flatMap((id, i) => {
    const member = rules.get(id);
    const message = member && unfit({ ...rule, all_of }, member);
    return message === undefined ? [] : [{ path: [all_of ? 'all_of' : 'any_of', i], message }];
  });
}

/** Members are evaluated in the same run and window by window, so these keys must be equal. */
function unfit(rule: CompositeRule, member: Rule): string | undefined {
  if (member.members) return `"${member.id}" is a rule over rules itself; name its members instead`;
  const differing = (['app', 'every', 'window', 'zone'] as const).find((key) => rule[key] !== member[key]);
  if (differing)
    return `"${member.id}" has another "${differing}" (${member[differing]}); it must equal that of this rule (${rule[differing]})`;
  if (rule.group_by && groupName(rule) !== groupName(member))
    return `"${member.id}" has no "group_by: ${groupText(rule)}"; remove "group_by" here, or add it there`;
  return undefined;
}
