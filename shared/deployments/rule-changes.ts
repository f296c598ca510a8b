import { meaningOf } from '../readings/series.ts';
import { type NamedChange, namedChanges } from '../rules/field-changes.ts';
import { entryOf, type Rule } from '../rules/rule.ts';

/** How a rule changed, by its id; its fields are those of rule files, including defaults. */
export interface RuleChange extends NamedChange {
  /** Whether the meaning of the rule changed. If so, its alerts start over; otherwise they continue. */
  startsOver: boolean;
}

/** The rules that differ between the two sets: first those in `after`, in its order, then the removed ones. */
export function ruleChanges(before: Rule[], after: Rule[]): RuleChange[] {
  const entries = (rules: Rule[]) => Object.fromEntries(rules.map((rule) => [rule.id, entryOf(rule)]));
  const meanings = (rules: Rule[]) => new Map(rules.map((rule) => [rule.id, meaningOf(rule)]));
  const [was, is] = [meanings(before), meanings(after)];
  return namedChanges(entries(before), entries(after)).map((each) => ({
    ...each,
    startsOver: was.get(each.name) !== is.get(each.name),
  }));
}
