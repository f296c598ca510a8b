import { Stack, Tags } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Stage } from '../shared/config/stage.ts';
import type { RuleSet } from '../shared/deployments/rule-store.ts';
import { ConfigError } from '../shared/runtime/errors.ts';
import { AlertingStack } from './alerting-stack.ts';
import { assertAnswerable } from './channel-rights.ts';
import { acknowledgeFindings } from './constructs/findings.ts';
import { DataAccessStack } from './data-access-stack.ts';
import { DataStack } from './data-stack.ts';
import { bundlesDir } from './function-bundles.ts';
import { RespondStack } from './respond-stack.ts';
import { type StageProps, stageOfProps } from './stage-props.ts';
import { StateStack } from './state-stack.ts';
import { TablesStack } from './tables-stack.ts';

export { loadRules } from '../shared/rule-files/yaml-rule-files.ts';
export type { RuleSet };

/** The settings of a stage as in `deltawatch.config.ts`, its name and its rules. */
export interface DeltawatchProps extends StageProps {
  /** The rules, from `loadRules`. */
  rules: RuleSet;
  /** The folder of the bundled functions, with one folder per function. Default: those of the package. */
  bundles?: string;
  /** The folder of `@duckdb/node-bindings-linux-arm64`, for an own data access service. Default: npm downloads it. */
  duckDbLibrary?: string;
}

/** The stacks of a stage. `data` and `dataAccess` exist only with a data access service of its own, `tables` only over tables. */
export interface DeltawatchStacks {
  state: StateStack;
  respond: RespondStack;
  alerting: AlertingStack;
  data?: DataStack;
  dataAccess?: DataAccessStack;
  tables?: TablesStack;
}

export interface DeltawatchFunctions {
  planChecks: IFunction;
  checkRules: IFunction;
  notify: IFunction;
  respond: IFunction;
}

/** The construct sets its own feature flags. Its templates then do not depend on the flags of the app. */
const FEATURE_FLAGS = {
  '@aws-cdk/core:target-partitions': ['aws'],
  '@aws-cdk/core:checkSecretUsage': true,
  '@aws-cdk/core:enablePartitionLiterals': true,
  '@aws-cdk/aws-iam:minimizePolicies': true,
  '@aws-cdk/aws-lambda:useCdkManagedLogGroup': true,
  '@aws-cdk/aws-s3:serverAccessLogsUseBucketPolicy': true,
  '@aws-cdk/core:defaultCrossStackReferences': 'strong',
};

/**
 * Deltawatch in an app of your own: the stacks `deltawatch-<name>-<part>`, in the scope's account and region unless the
 * props name others. The commands find a stage by these names. State has stacks of its own, so that no deployment of
 * functions can touch it. Throws `ConfigError` for wrong props, or if rules need what the stage lacks.
 */
export class Deltawatch extends Construct {
  /** The settings with all defaults. */
  readonly stage: Stage;
  readonly stacks: DeltawatchStacks;
  /** Rules, alerts and readings. */
  readonly table: ITable;
  readonly functions: DeltawatchFunctions;
  /** The topic of all alarms about Deltawatch itself. The mailbox `operators` is subscribed to it. */
  readonly alarmTopic: ITopic;
  /** The base URL of the page and of all links, without a trailing slash. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: DeltawatchProps) {
    super(scope, id);
    for (const [flag, value] of Object.entries(FEATURE_FLAGS)) this.node.setContext(flag, value);
    const { rules, bundles = bundlesDir(), duckDbLibrary: library, ...settings } = props;
    if (!Object.hasOwn(Object(rules), 'routes'))
      throw new ConfigError(
        `the props of the Deltawatch construct "${id}" are not valid\n  rules: must be the rules of a folder: "rules: await loadRules('rules')"`,
      );
    this.stage = stageIn(scope, stageOfProps(id, settings));
    assertAnswerable(rules.routes, this.stage);
    const tags = { application: 'deltawatch', stage: this.stage.name };
    // Not every region accepts the tags of a dashboard.
    const excludeResourceTypes = ['AWS::CloudWatch::Dashboard'];
    for (const [key, value] of Object.entries(tags)) Tags.of(this).add(key, value, { excludeResourceTypes });
    acknowledgeFindings(this, {
      IAMNoInlinePolicy: 'Each policy is for one role, and must not be attached to another.',
      LambdaDLQ:
        'The scheduler retries into a queue, a queue has dead letters, and a failed asynchronous call goes to the queue onFailure. All other callers wait for the answer.',
      ...(this.stage.reservesConcurrency && {
        LambdaConcurrency:
          'The functions that must not wait have reserved concurrency. The API limits the calls of the public ones; a schedule or a deployment calls the others.',
      }),
    });
    this.stacks = addStacks(this, { stage: this.stage, ruleSet: rules, bundles, library });
    const { state, respond, alerting } = this.stacks;
    this.table = state.table;
    this.functions = { ...alerting.functions, respond: respond.function };
    this.alarmTopic = state.operators.topic;
    this.url = respond.url;
  }
}

/** Within a stack, that stack's account and region are the default. */
function stageIn(scope: Construct, stage: Stage): Stage {
  const around = scope.node.scopes.findLast(Stack.isStack);
  if (!around) return stage;
  const { account = around.account, region = around.region } = stage;
  return { ...stage, account, region };
}

interface Parts {
  stage: Stage;
  ruleSet: RuleSet;
  bundles: string;
  library: string | undefined;
}

function addStacks(scope: Construct, parts: Parts): DeltawatchStacks {
  const { stage, bundles, library } = parts;
  const state = new StateStack(scope, 'state', { stage });
  const { table, operators } = state;
  const respond = new RespondStack(scope, 'respond', { stage, table, operators, bundles });
  const alertingOver = (dataAccess: IFunction | string) =>
    new AlertingStack(scope, 'alerting', { ...parts, table, operators, dataAccess, publicUrl: respond.url });
  const { dataAccess } = stage;
  switch (dataAccess.kind) {
    case 'external':
      return { state, respond, alerting: alertingOver(dataAccess.url) };
    case 'own': {
      const data = new DataStack(scope, 'data', { stage, dataAccess });
      const props = { stage, dataAccess, data, operators, bundles, library };
      const own = new DataAccessStack(scope, 'data-access', props);
      return { state, respond, alerting: alertingOver(own.forRules), data, dataAccess: own };
    }
    case 'tables': {
      const tables = new TablesStack(scope, 'tables', { stage, dataAccess, operators, bundles });
      return { state, respond, alerting: alertingOver(tables.forRules), tables };
    }
  }
}
