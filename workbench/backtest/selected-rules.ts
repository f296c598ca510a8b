import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { noSuchRule } from '../find-rule.ts';

/**
 * The rules with these ids and their members; all rules without ids. Throws `InvalidRequestError` for an id in
 * neither this nor the `other` set; `where` names the place.
 */
export function onlyRules(
  ruleSet: RuleSet,
  ids: string[] | undefined,
  where: string,
  other?: RuleSet,
): RuleSet {
  if (!ids) return ruleSet;
  const known = [...ruleSet.rules, ...(other?.rules ?? [])].map(({ id }) => id);
  for (const id of ids) if (!known.includes(id)) throw noSuchRule(id, known, where);
  const asked = ruleSet.rules.filter(({ id }) => ids.includes(id));
  const wanted = new Set(asked.flatMap(({ id, members }) => [id, ...(members?.ruleIds ?? [])]));
  return { ...ruleSet, rules: ruleSet.rules.filter(({ id }) => wanted.has(id)) };
}
