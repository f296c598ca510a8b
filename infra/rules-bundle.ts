import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stage as Assembly, type Stack } from 'aws-cdk-lib';
import { packedRuleSet } from '../shared/alerting/deployments/packed-rule-set.ts';
import type { RuleSet } from '../shared/alerting/deployments/rule-store.ts';

/**
 * A copy of the bundle of sync-rules with the rules beside it, in the output folder of the app. The bundles themselves
 * may be in node_modules, which nobody should change.
 */
export function bundleWithRules(stack: Stack, bundle: string, ruleSet: RuleSet): string {
  const outdir = Assembly.of(stack)?.outdir;
  if (outdir === undefined) throw new Error('a stack without an app has no output folder');
  const copy = join(outdir, `rules-${stack.stackName}`);
  rmSync(copy, { recursive: true, force: true });
  cpSync(bundle, copy, { recursive: true });
  writeFileSync(join(copy, 'rule-set.json'), JSON.stringify(packedRuleSet(ruleSet)));
  return copy;
}
