import { counted } from '../local/terminal.ts';
import { formatProblems, loadRuleFiles } from '../shared/adapters/yaml-rule-files.ts';
import type { RuleSet } from '../shared/alerting/ports.ts';
import { ConfigError } from '../shared/runtime/errors.ts';

/** The rules of a folder. Throws `ConfigError` with every problem, its file, line and column. */
export async function readRules(dir: string): Promise<RuleSet> {
  const loaded = await loadRuleFiles(dir);
  if (loaded.kind === 'problems') {
    const count = counted(loaded.problems.length, 'problem');
    throw new ConfigError(`${count} in ${dir}\n\n${formatProblems(loaded.problems)}`);
  }
  return loaded.ruleSet;
}
