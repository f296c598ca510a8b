import { counted } from '../../local/terminal.ts';
import { formatProblems, type Problem } from '../../shared/adapters/rule-files/file-problems.ts';
import { loadRuleFiles } from '../../shared/adapters/rule-files/yaml-rule-files.ts';
import type { RuleSet } from '../../shared/alerting/deployments/rule-store.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';

/** The rules of a folder. Throws `ConfigError` with every problem, its file, line and column. */
export async function readRules(dir: string): Promise<RuleSet> {
  const loaded = await loadRuleFiles(dir);
  if (loaded.kind === 'problems') throw refuseProblems(loaded.problems, dir);
  return loaded.ruleSet;
}

/** All problems of a folder, or of `where`, as one error. */
export function refuseProblems(problems: readonly Problem[], where: string): ConfigError {
  return new ConfigError(`${counted(problems.length, 'problem')} in ${where}\n\n${formatProblems(problems)}`);
}
