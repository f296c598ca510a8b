import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { Stage } from '../stages.ts';
import type { Operators } from './operators.ts';
import type { DeadLetters } from './work-queue.ts';

export interface WatchedFunctionProps {
  stage: Stage;
  /** The folder with its bundle. */
  bundle: string;
  operators: Operators;
  /** What people miss while it fails. It becomes the text of the alarm, so it is for whoever is woken by it. */
  errorImpact: string;
  timeout: Duration;
  /** Names and addresses; never a secret, for whoever may look at the function sees them. */
  environment: Record<string, string>;
  /** How many calls may run at once, which the account keeps free for them. Without it, as many as the account has left. */
  reservedConcurrency?: number;
  /** Its memory, by default 512. */
  megabytes?: number;
  /** Where the event of an asynchronous invocation goes when the last retry failed. */
  deadLetters?: DeadLetters;
}

type Reading = 'GetItem' | 'BatchGetItem' | 'Query';
type Writing = 'PutItem' | 'BatchWriteItem' | 'UpdateItem';

/** A function as every one of ours is: same processor and runtime, its own log, least rights, never failing unheard. */
export class WatchedFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: WatchedFunctionProps) {
    const { stage, bundle, operators, errorImpact, timeout, environment, deadLetters } = props;
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: stage.logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    super(scope, id, {
      // Without one of its own, a function gets a role that may write to every log of the account.
      role: new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }),
      code: Code.fromAsset(bundle),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.megabytes ?? 512,
      ...(props.reservedConcurrency !== undefined && {
        reservedConcurrentExecutions: props.reservedConcurrency,
      }),
      timeout,
      environment: { ...environment, POWERTOOLS_METRICS_NAMESPACE: metricsNamespace(stage) },
      loggingFormat: LoggingFormat.JSON,
      logGroup,
      ...(deadLetters && {
        onFailure: new SqsDestination(deadLetters),
        retryAttempts: 2,
        maxEventAge: Duration.minutes(15),
      }),
    });
    logGroup.grantWrite(this);
    operators.watch(this, 'Failing', {
      metric: this.metricErrors({ period: Duration.minutes(5) }),
      when: 'reaches',
      threshold: 1,
      periods: 1,
      meaning: `${errorImpact} Look for entries of level ERROR in the log group of this function.`,
    });
  }

  /** Allows exactly these actions on exactly these resources. */
  allow(actions: string[], ...resources: string[]): void {
    this.addToRolePolicy(new PolicyStatement({ actions, resources }));
  }

  /** Allows exactly these commands on one table of ours, as the SDK names them. They must not write. */
  allowReading(table: Pick<TableV2, 'tableArn'>, commands: Reading[]): void {
    this.allow(
      commands.map((command) => `dynamodb:${command}`),
      table.tableArn,
    );
  }

  /** Allows each command on items of these partitions alone: `ALERT#*` is every partition that begins so. */
  allowWriting(
    table: Pick<TableV2, 'tableArn'>,
    partitions: Partial<Record<Writing, [string, ...string[]]>>,
  ): void {
    for (const [command, keys] of Object.entries(partitions))
      this.addToRolePolicy(
        new PolicyStatement({
          actions: [`dynamodb:${command}`],
          resources: [table.tableArn],
          conditions: {
            'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
            // A condition on all of no keys holds.
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        }),
      );
  }

  /** Allows to read these secrets, which somebody created by hand. */
  allowSecrets(names: Iterable<string>): void {
    for (const name of new Set(names)) Secret.fromSecretNameV2(this, name, name).grantRead(this);
  }
}

/** Where the functions of a stage count their own work. */
export function metricsNamespace(stage: Stage): string {
  return `Deltawatch/${stage.name}`;
}
