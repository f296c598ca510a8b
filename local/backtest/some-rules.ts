import { nearestWords } from '../../shared/alerting/nearest-words.ts';
import type { RuleSet } from '../../shared/alerting/ports.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';

/**
 * The rules of these ids, and those that they watch; all without ids. Throws `InvalidRequestError` for an id that
 * neither this nor the `other` set has.
 */
export function onlyRules(ruleSet: RuleSet, ids: string[] | undefined, other?: RuleSet): RuleSet {
  if (!ids) return ruleSet;
  const known = [...ruleSet.rules, ...(other?.rules ?? [])].map(({ id }) => id);
  for (const id of ids) if (!known.includes(id)) throw new InvalidRequestError(unknownRule(id, known));
  const asked = ruleSet.rules.filter(({ id }) => ids.includes(id));
  const wanted = new Set(asked.flatMap(({ id, members }) => [id, ...(members?.ruleIds ?? [])]));
  return { ...ruleSet, rules: ruleSet.rules.filter(({ id }) => wanted.has(id)) };
}

function unknownRule(id: string, known: string[]): string {
  const near = nearestWords(id, known).map((each) => `"${each}"`);
  return `there is no rule "${id}"${near.length > 0 ? `; did you mean ${near.join(' or ')}?` : `; there are ${known.join(', ')}`}`;
}
