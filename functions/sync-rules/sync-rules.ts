import type { RuleSet, RuleStore } from '../../shared/alerting/ports.ts';
import type { Logger } from '../../shared/runtime/logger.ts';

/** Puts `ruleSet` in force, whole or not at all; one that already is in force is left as it is. */
export async function syncRules(
  ruleSet: RuleSet,
  { rules, logger }: { rules: RuleStore; logger: Logger },
): Promise<'saved' | 'unchanged'> {
  const current = await rules.loadCurrent();
  if (current?.version === ruleSet.version) return 'unchanged';
  await rules.save(ruleSet);
  logger.info('rules in force', {
    version: ruleSet.version,
    rules: ruleSet.rules.length,
    replaced: current?.version,
  });
  return 'saved';
}
