import { didYouMean } from '../shared/alerting/nearest-words.ts';
import type { RuleSet, RuleStore } from '../shared/alerting/ports.ts';
import type { Rule } from '../shared/alerting/rule.ts';
import { ConfigError } from '../shared/runtime/errors.ts';

/** The rules in force. Throws `ConfigError` before any were. */
export async function rulesInForce(rules: Pick<RuleStore, 'loadCurrent'>): Promise<RuleSet> {
  const ruleSet = await rules.loadCurrent();
  if (ruleSet) return ruleSet;
  throw new ConfigError('no rules are in force there yet: "deltawatch apply" puts some in force');
}

/** The rule that is called so. Throws `ConfigError` where none is, with what may be meant. */
export function ruleCalled(id: string, { rules }: Pick<RuleSet, 'rules'>): Rule {
  const rule = rules.find((each) => each.id === id);
  if (rule) return rule;
  const ids = rules.map((each) => each.id);
  throw new ConfigError(`there is no rule "${id}"${didYouMean(id, ids)}`);
}
