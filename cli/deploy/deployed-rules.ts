import { syncRules } from '../../functions/sync-rules/sync-rules.ts';
import type { Installation } from '../../local/installation.ts';
import { terminalLogger } from '../../local/terminal.ts';
import { type Deployment, missingIn, type Need } from '../../shared/deployments/deployment.ts';
import type { Deployed, RuleSet, RuleStore } from '../../shared/deployments/rule-store.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ConfigError, ConflictError } from '../../shared/runtime/errors.ts';
import { deploymentStoreIn } from '../../shared/store/deployment-store.ts';
import { counted } from '../../shared/text/counted.ts';
import { type DeployedState, type DeploymentPlan, deploymentPlan } from './deployment-plan.ts';

type Installed = Omit<Installation, 'close' | 'isRunning'>;

/** What deploying `ruleSet` would change. Throws `ConfigError` if the stage has no record of its resources. */
export async function planRules(ruleSet: RuleSet, installation: Installation): Promise<DeploymentPlan> {
  const { stores } = installation;
  const deployment = await deploymentOf(installation);
  // Read first, so that the rules are never newer than their version.
  const deployed = await stores.rules.findCurrent();
  const [rules, open] = await Promise.all([readRules(deployed, stores.rules), stores.alerts.loadOpen()]);
  return deploymentPlan(ruleSet, { deployed, ...rules, open, deployment });
}

/** Whether a deployment of the stack would leave other rules active: those that were applied since the last one. */
export async function leavesAppliedRules(
  { version }: RuleSet,
  { stores }: Pick<Installation, 'stores'>,
): Promise<boolean> {
  const current = await stores.rules.findCurrent();
  return current?.deployment?.ruleVersion === version && current.version !== version;
}

/** The deployed resources; `undefined` for a local installation. Throws `ConfigError` without a record. */
async function deploymentOf({ kind, table, description }: Installed): Promise<Deployment | undefined> {
  if (kind === 'local') return undefined;
  const deployment = await deploymentStoreIn(table).load();
  if (deployment) return deployment;
  throw new ConfigError(
    `${description} has no record of what is deployed: deploy the stage once with this version, npx deltawatch deploy STAGE`,
  );
}

/** Does not throw for unreadable rules, because deploying others is how to recover. */
async function readRules(
  deployed: Deployed | undefined,
  rules: RuleStore,
): Promise<Pick<DeployedState, 'current' | 'unreadable'>> {
  try {
    return { current: deployed && (await rules.load(deployed.version)) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { current: undefined, unreadable: error.message };
  }
}

/**
 * Deploys the planned rules with the same code as a stack deployment. Changes nothing and throws `ConfigError` if
 * resources are missing, or `ConflictError` if other rules were deployed since the plan.
 */
export async function deployRules(
  ruleSet: RuleSet,
  plan: DeploymentPlan,
  installation: Installed,
  { by, clock }: { by: string; clock: Clock },
): Promise<'saved' | 'unchanged'> {
  const { stores } = installation;
  // A stack deployment since the plan may have removed a resource.
  const deployment = await deploymentOf(installation);
  const refusal =
    deployment && refusalOf({ missing: missingIn(deployment, ruleSet), stack: deployment.stack });
  if (refusal !== undefined) throw new ConfigError(refusal);
  const deps = { ...stores, clock, logger: terminalLogger };
  const replacing = plan.from?.version ?? null;
  try {
    return await syncRules(ruleSet, deps, { replacing, by });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const why = 'other rules were deployed in the meantime, so nothing was changed: run plan again';
    throw new ConflictError(why, { cause: error });
  }
}

/** Why the planned rules cannot be deployed, and what to do; `undefined` if they can. */
export function refusalOf({ missing, stack }: Pick<DeploymentPlan, 'missing' | 'stack'>): string | undefined {
  if (missing.length === 0) return undefined;
  const each = missing.map((need) => `  ${needText(need)}`);
  return [
    `these rules need ${counted(missing.length, 'resource')} that ${missing.length === 1 ? 'is' : 'are'} not deployed:`,
    ...each,
    `Deploy them with: npx deltawatch deploy ${stageOfStack(stack)}`,
  ].join('\n');
}

function stageOfStack(stack: string | null): string {
  return /^deltawatch-(.+)-alerting$/.exec(stack ?? '')?.[1] ?? 'STAGE';
}

function needText({ kind, name, by }: Need): string {
  const askers = by.length > 3 ? `${by.slice(0, 3).join(', ')} and ${by.length - 3} more` : by.join(', ');
  switch (kind) {
    case 'cadence':
      return `a schedule for the cadence ${name}, for ${askers}`;
    case 'secret':
      return `permission to read the secret ${name}, for the channel ${askers}`;
    case 'target':
      return `permission to send to ${name}, for the channel ${askers}`;
    case 'buttons':
      return `respond.slackSigningSecret in deltawatch.config.ts, for the buttons of the channel ${askers}`;
    case 'code':
      return 'this version of Deltawatch: the deployed version cannot read these rules';
  }
}
