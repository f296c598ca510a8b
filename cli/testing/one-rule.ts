import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { buildRuleSet, formatProblems } from '../../shared/rule-files/yaml-rule-files.ts';
import { type FigureRule, hasSegments } from '../../shared/rules/rule.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { fileProblem } from '../terminal/file-errors.ts';

/** Routes do not affect evaluation, so these replace the folder's own. */
const NO_ROUTES = 'channels: { unused: { slack: { webhook_secret: unused } } }\ndefault: [unused]\n';

/**
 * The rule of "rules.yaml#id", or the only rule of "rules.yaml". Throws `ConfigError` for an unknown rule, an
 * invalid file, a composite rule, and a rule with several series.
 */
export async function readRule(place: string): Promise<FigureRule> {
  const [file = '', id] = place.split('#');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw fileProblem(file, error);
  });
  const files = new Map([
    [basename(file), text],
    ['routes.yaml', NO_ROUTES],
  ]);
  const loaded = buildRuleSet(dirname(file), files);
  if (loaded.kind === 'problems') throw new ConfigError(`in ${file}\n\n${formatProblems(loaded.problems)}`);
  const { rules } = loaded.ruleSet;
  const ids = rules.map((rule) => rule.id).join(', ');
  const [rule, other] = id === undefined ? rules : rules.filter((each) => each.id === id);
  if (!rule) throw new ConfigError(`${file} has no rule "${id}": it has ${ids}`);
  if (other) throw new ConfigError(`${file} has several rules: choose one as ${file}#ID, from ${ids}`);
  if (rule.members)
    throw new ConfigError(`the rule ${rule.id} watches other rules, so it cannot be evaluated on one series`);
  if (hasSegments(rule))
    throw new ConfigError(
      `the rule ${rule.id} watches several segments, so it cannot be evaluated on one series`,
    );
  return rule;
}
