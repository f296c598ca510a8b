import { type Deployment, type DeploymentStore, missingIn } from '../../shared/deployments/deployment.ts';
import type { Deployed, RuleSet, StackDeployment } from '../../shared/deployments/rule-store.ts';
import { ConfigError, ConflictError } from '../../shared/runtime/errors.ts';
import { type SyncDeps, syncRules } from './sync-rules.ts';

interface DeploymentDeps extends SyncDeps {
  deployments: Pick<DeploymentStore, 'save'>;
}

interface DeploymentRun extends Pick<Run, 'functionName' | 'functionVersion'> {
  /** What the stack set up for its rules. */
  resources: Deployment;
}

/**
 * Activates the rules of a deployment of the stack, unless it brings those of the deployment before: rules that were
 * applied since stay active. A repeated call changes nothing, and a rollback restores what its deployment replaced.
 * Records the resources last. Throws `ConfigError` if rules that would stay active need others, `ConflictError` if rules
 * were applied meanwhile.
 */
export async function syncDeployment(
  ruleSet: RuleSet,
  { resources, ...run }: DeploymentRun,
  deps: DeploymentDeps,
): Promise<void> {
  const current = await deps.rules.findCurrent();
  const activation = activationBy({ ...run, ruleVersion: ruleSet.version }, current);
  const other = await rulesInstead(activation, current, deps);
  if (other) requireResources(other, resources, { kind: activation.kind, logger: deps.logger });
  const by = activation.kind === 'restore' && other ? activation.by : null;
  const saving = { replacing: current?.version ?? null, by, deployment: activation.last };
  deps.logger.info('rules of a deployment', { activation: activation.kind, brought: ruleSet.version });
  try {
    const { sourceLinks } = ruleSet;
    const isOwn = !other || other.version === ruleSet.version;
    await syncRules({ ...(other ?? ruleSet), ...(isOwn && { sourceLinks }) }, deps, saving);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    // A rollback must not fail. Now that others were applied, it keeps them.
    if (activation.kind === 'restore' || activation.kind === 'repeat')
      return syncDeployment(ruleSet, { resources, ...run }, deps);
    throw new ConflictError('other rules were applied during this deployment: deploy again', {
      cause: error,
    });
  }
  await deps.deployments.save(resources);
}

/** The rules that are active after this run instead of its own. Rules that this version cannot read never are. */
async function rulesInstead(
  activation: Activation,
  current: Deployed | undefined,
  { rules, logger }: DeploymentDeps,
): Promise<RuleSet | undefined> {
  if (activation.kind === 'activate' || !current) return undefined;
  const version = activation.kind === 'restore' ? activation.version : current.version;
  try {
    return await rules.load(version);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    logger.warn('the rules of the deployment become active, because others cannot be read', {
      version,
      reason: error.message,
    });
    return undefined;
  }
}

/** The functions would not send what these rules need. A rollback must not fail, so it only warns. */
function requireResources(
  ruleSet: RuleSet,
  resources: Deployment,
  { kind, logger }: { kind: Activation['kind']; logger: DeploymentDeps['logger'] },
): void {
  const missing = missingIn(resources, ruleSet).map((need) => `${need.kind} ${need.name}`);
  if (missing.length === 0) return;
  if (kind === 'keep')
    throw new ConfigError(
      `the active rules, which were applied since the last deployment, need what this deployment does not set up (${missing.join(', ')}): deploy the rules that are active, or apply others first`,
    );
  logger.warn('the active rules need what is not deployed', { version: ruleSet.version, missing });
}

/**
 * What a deployment of the stack does with the active rules. `keep`: they stay, because it brings those of the deployment
 * before. `repeat`: they stay, because a deployment has decided already. `restore`: the rules that a deployment replaced
 * become active again, because it is rolled back. `last`: what is recorded as the last deployment.
 */
type Activation = { last: StackDeployment } & (
  | { kind: 'activate' | 'keep' | 'repeat' }
  | { kind: 'restore'; version: string; by: string | null }
);

/** The run of a deployment. Its rules never change: another rule set is another version of the function. */
type Run = Pick<StackDeployment, 'functionName' | 'functionVersion' | 'ruleVersion'>;

/**
 * A rollback calls the version of the function that was deployed before, and a retry calls the same version again. Both
 * have a version that is not higher than the recorded one, because Lambda never uses a number of a function again.
 */
function activationBy(run: Run, current: Deployed | undefined): Activation {
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
