import { Duration, Size, Validations } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  CfnFunction,
  Code,
  type ILayerVersion,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { Stage, Vpc } from '../../shared/config/stage.ts';
import { USES_OF_KEY } from './customer-key.ts';
import { logKeptFor } from './log-retention.ts';
import type { Operators } from './operators.ts';
import type { DeadLetters } from './work-queue.ts';

export interface WatchedFunctionProps {
  stage: Stage;
  /** The folder that holds its bundle. */
  bundle: string;
  operators: Operators;
  /** The text of the alarm: that the function fails, and what no longer works. */
  errorImpact: string;
  timeout: Duration;
  /** Errors within 15 minutes that fire the alarm. Default: three, because a retry heals fewer. */
  errors?: number;
  /** Names and addresses. Never a secret: everyone with read access to the function sees these. */
  environment: Record<string, string>;
  /** Reserved concurrency. Without it, the function shares the concurrency of the account. */
  reservedConcurrency?: number;
  /** Memory, 512 by default. */
  megabytes?: number;
  /** Disk, 512 by default. */
  diskMegabytes?: number;
  layers?: ILayerVersion[];
  /** The network that it is in. By default it reaches only what has a public address. */
  vpc?: Vpc;
  /** Receives the event of an asynchronous invocation after its last retry failed. */
  deadLetters?: DeadLetters;
}

/** What Lambda needs to connect a function with subnets. */
const ACTIONS_IN_VPC = [
  ...['ec2:CreateNetworkInterface', 'ec2:DeleteNetworkInterface', 'ec2:DescribeNetworkInterfaces'],
  ...['ec2:DescribeSubnets', 'ec2:AssignPrivateIpAddresses', 'ec2:UnassignPrivateIpAddresses'],
];

type Reading = 'GetItem' | 'BatchGetItem' | 'Query';
type Writing = 'PutItem' | 'BatchWriteItem' | 'UpdateItem';

/** The base of all functions: same architecture and runtime, its own log and role, and an alarm if it fails. */
export class WatchedFunction extends LambdaFunction {
  readonly #kmsKey: string | undefined;

  constructor(scope: Construct, id: string, props: WatchedFunctionProps) {
    const { stage, bundle, operators, errorImpact, timeout, environment, deadLetters } = props;
    const logGroup = logKeptFor(stage, scope, `${id}Log`);
    super(scope, id, {
      // The default role may write to every log group of the account.
      role: new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }),
      code: Code.fromAsset(bundle),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.megabytes ?? 512,
      ...(props.diskMegabytes !== undefined && {
        ephemeralStorageSize: Size.mebibytes(props.diskMegabytes),
      }),
      ...(props.layers && { layers: props.layers }),
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
    this.#kmsKey = stage.kmsKey;
    if (props.vpc) this.#join(props.vpc);
    logGroup.grantWrite(this);
    operators.watch(this, 'Failing', {
      metric: this.metricErrors({ period: Duration.minutes(15) }),
      threshold: props.errors ?? 3,
      meaning: `${errorImpact} Search the log group of this function for entries of level ERROR.`,
    });
  }

  /** The option `vpc` of the CDK would need the id of the VPC too, and a policy of AWS that may write every log. */
  #join({ subnets: subnetIds, securityGroups: securityGroupIds }: Vpc): void {
    const { defaultChild } = this.node;
    if (defaultChild instanceof CfnFunction) defaultChild.vpcConfig = { subnetIds, securityGroupIds };
    this.allow(ACTIONS_IN_VPC, '*');
    this.acknowledgeStar('*', 'Lambda names the network interfaces that it makes with this role.');
  }

  /** For cdk-nag: the ARN of a permission ends in a star if the names of its resources are not known in advance. */
  acknowledgeStar(arn: string, reason: string): void {
    if (this.role)
      Validations.of(this.role).acknowledge({ id: `AwsSolutions-IAM5[Resource::${arn}]`, reason });
  }

  /** Allows exactly these actions on exactly these resources. */
  allow(actions: string[], ...resources: string[]): void {
    this.addToRolePolicy(new PolicyStatement({ actions, resources }));
  }

  /** Allows only these read commands on the table, and its key. Commands have the names of the SDK. */
  allowReading(table: Pick<ITable, 'tableArn'>, commands: Reading[]): void {
    if (this.#kmsKey !== undefined) this.allow(USES_OF_KEY, this.#kmsKey);
    this.allow(
      commands.map((command) => `dynamodb:${command}`),
      table.tableArn,
    );
  }

  /** Allows each command only on these partitions. `ALERT#*` matches every partition that starts with `ALERT#`. */
  allowWriting(
    table: Pick<ITable, 'tableArn'>,
    partitions: Partial<Record<Writing, [string, ...string[]]>>,
  ): void {
    for (const [command, keys] of Object.entries(partitions))
      this.addToRolePolicy(
        new PolicyStatement({
          actions: [`dynamodb:${command}`],
          resources: [table.tableArn],
          conditions: {
            'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
            // `ForAllValues` also holds if the request has no keys.
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        }),
      );
  }

  /** Allows reading these secrets, which were created by hand. */
  allowSecrets(names: Iterable<string>): void {
    if (this.#kmsKey !== undefined) this.allow(['kms:Decrypt'], this.#kmsKey);
    for (const name of new Set(names)) Secret.fromSecretNameV2(this, name, name).grantRead(this);
  }
}

/** The CloudWatch namespace of the metrics that the functions of a stage emit. */
export function metricsNamespace(stage: Stage): string {
  return `Deltawatch/${stage.name}`;
}
