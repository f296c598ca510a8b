import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { RuleSet } from '../shared/alerting/deployments/rule-store.ts';
import type { OwnDataAccess, Stage } from '../shared/config/stage.ts';
import { AlertingStack } from './alerting-stack.ts';
import { assertAnswerable } from './channel-rights.ts';
import { DataAccessStack } from './data-access-stack.ts';
import { DataStack } from './data-stack.ts';
import { RespondStack } from './respond-stack.ts';
import { StateStack } from './state-stack.ts';

interface StageStacksProps {
  stage: Stage;
  ruleSet: RuleSet;
  /** The folder of the bundles, with one folder per function. */
  bundles: string;
}

export interface StageStacks {
  state: StateStack;
  respond: RespondStack;
  alerting: AlertingStack;
  /** Only for a stage with its own data access service. */
  data?: DataStack;
  dataAccess?: DataAccessStack;
}

/** All stacks of a stage, `deltawatch-<stage>-<part>`. Throws `ConfigError` if rules need what the stage lacks. */
export function addStageStacks(scope: Construct, props: StageStacksProps): StageStacks {
  const { stage, bundles, ruleSet } = props;
  assertAnswerable(ruleSet.routes, stage);
  const state = new StateStack(scope, `deltawatch-${stage.name}-state`, { stage });
  const { table } = state;
  const respond = new RespondStack(scope, `deltawatch-${stage.name}-respond`, { stage, table, bundles });
  const alertingOver = (dataAccess: IFunction | string) => {
    const id = `deltawatch-${stage.name}-alerting`;
    return new AlertingStack(scope, id, { ...props, table, dataAccess, publicUrl: respond.url });
  };
  if (stage.dataAccess.kind === 'external')
    return { state, respond, alerting: alertingOver(stage.dataAccess.url) };
  const own = addDataAccess(scope, props, stage.dataAccess);
  return { state, respond, alerting: alertingOver(own.dataAccess.forRules), ...own };
}

function addDataAccess(
  scope: Construct,
  { stage, bundles }: StageStacksProps,
  dataAccess: OwnDataAccess,
): { data: DataStack; dataAccess: DataAccessStack } {
  const data = new DataStack(scope, `deltawatch-${stage.name}-data`, { stage, dataAccess });
  const id = `deltawatch-${stage.name}-data-access`;
  return { data, dataAccess: new DataAccessStack(scope, id, { stage, dataAccess, data, bundles }) };
}
