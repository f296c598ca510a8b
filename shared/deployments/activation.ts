import type { Deployed, StackDeployment } from './rule-store.ts';

/**
 * What a deployment of the stack does with the active rules. `keep`: they stay, because it brings those of the deployment
 * before. `repeat`: they stay, because a deployment has decided already. `restore`: the rules that a deployment replaced
 * become active again, because it is rolled back. `last`: what is recorded as the last deployment.
 */
export type Activation = { last: StackDeployment } & (
  | { kind: 'activate' | 'keep' | 'repeat' }
  | { kind: 'restore'; version: string; by: string | null }
);

/** The run of a deployment. Its rules never change: another rule set is another version of the function. */
export type Run = Pick<StackDeployment, 'functionName' | 'functionVersion' | 'ruleVersion'>;

/**
 * A rollback calls the version of the function that was deployed before, and a retry calls the same version again. Both
 * have a version that is not higher than the recorded one, because Lambda never uses a number of a function again.
 */
export function activationBy(run: Run, current: Deployed | undefined): Activation {
  const last = current?.deployment;
  if (!last) return activated(run, current);
  if (run.functionName !== last.functionName || run.functionVersion > last.functionVersion)
    return run.ruleVersion === last.ruleVersion
      ? { kind: 'keep', last: { ...run, replaced: null } }
      : activated(run, current);
  if (run.functionVersion === last.functionVersion) return { kind: 'repeat', last };
  const rolledBack = { ...run, functionVersion: last.functionVersion, replaced: null };
  return last.replaced
    ? { kind: 'restore', ...last.replaced, last: rolledBack }
    : { kind: 'repeat', last: rolledBack };
}

function activated(run: Run, current: Deployed | undefined): Activation {
  const isChange = current !== undefined && current.version !== run.ruleVersion;
  const replaced = isChange ? { version: current.version, by: current.by } : null;
  return { kind: 'activate', last: { ...run, replaced } };
}
