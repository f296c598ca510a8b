import type { RuleSet, RuleStore } from '../shared/deployments/rule-store.ts';
import type { Rule } from '../shared/rules/rule.ts';
import { ConfigError, InvalidRequestError } from '../shared/runtime/errors.ts';
import { didYouMean } from '../shared/text/nearest-words.ts';

/** The deployed rules. Throws `ConfigError` before the first deployment. */
export async function deployedRules(rules: Pick<RuleStore, 'loadCurrent'>): Promise<RuleSet> {
  const ruleSet = await rules.loadCurrent();
  if (ruleSet) return ruleSet;
  throw new ConfigError('no rules are deployed there yet: deploy some with "deltawatch apply"');
}

/** The searched folder, for the error that there is no such rule. */
export function inFolder(dir: string): string {
  return `in the folder ${dir} (use --rules for another)`;
}

/** The searched installation, for the error that there is no such rule. */
export function deployedOn({ description }: { description: string }): string {
  return `deployed to ${description}`;
}

/** The rule with this id. Throws `InvalidRequestError` that suggests similar ids if the id is unknown. */
export function ruleCalled(id: string, { rules }: Pick<RuleSet, 'rules'>, where = 'deployed'): Rule {
  const rule = rules.find((each) => each.id === id);
  if (rule) return rule;
  const known = rules.map((each) => each.id);
  throw noSuchRule(id, known, where);
}

/** Maximum number of known ids in an error without a similar id. */
const NAMED = 8;

/** The error for an unknown rule, with similar ids. */
export function noSuchRule(id: string, known: string[], where: string): InvalidRequestError {
  const more = known.length > NAMED ? ` and ${known.length - NAMED} more` : '';
  const all = known.length > 0 ? `; known rules: ${known.slice(0, NAMED).join(', ')}${more}` : '';
  return new InvalidRequestError(`there is no rule "${id}" ${where}${didYouMean(id, known) || all}`);
}

/** These rules and their members; without ids, all. Throws `InvalidRequestError` for an id in neither set. */
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
