import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CreateSecretCommand,
  DescribeSecretCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { allOrProblems, ConfigError, UpstreamError } from '../runtime/errors.ts';
import { callAws } from './requests.ts';

/** How clients reach AWS. Without a profile and a region: those of the environment. */
export interface AwsAccess {
  profile?: string;
  region?: string;
}

export interface AwsPlace {
  account: string;
  region: string;
}

interface DeployedStack {
  /** The status of CloudFormation, such as `UPDATE_COMPLETE`. */
  status: string;
  /** Values by the names of the outputs. */
  outputs: Readonly<Record<string, string>>;
}

/** `deleted`: it is scheduled for deletion, and its name cannot be used for another secret until then. */
type SecretState = 'exists' | 'missing' | 'deleted';

interface NewSecret {
  name: string;
  value: string;
  description: string;
  /** The ARN of the key that encrypts it. Default: the key of AWS. */
  kmsKey?: string | undefined;
}

/** What a deployment needs to know of an AWS account. Never reads the value of a secret. */
export interface Cloud {
  /** The account and region of the credentials. Throws `ConfigError` without valid credentials or a region. */
  place(): Promise<AwsPlace>;
  findStack(name: string): Promise<DeployedStack | undefined>;
  secretState(name: string): Promise<SecretState>;
  hasTable(name: string): Promise<boolean>;
  createSecret(secret: NewSecret): Promise<void>;
}

export function createCloud(access: AwsAccess): Cloud {
  const sts = new STSClient(access);
  const formation = new CloudFormationClient(access);
  const secrets = new SecretsManagerClient(access);
  const dynamodb = new DynamoDBClient(access);
  return {
    async place() {
      const credentials = callAws('AWS STS', () => sts.config.credentials()).catch(refusedCredentials);
      const [region] = await allOrProblems([regionOf(sts), credentials]);
      const { Account = '' } = await callAws('AWS STS', () => sts.send(new GetCallerIdentityCommand())).catch(
        refusedCredentials,
      );
      return { account: Account, region };
    },
    async findStack(name) {
      const answer = await callAws('CloudFormation', () =>
        formation.send(new DescribeStacksCommand({ StackName: name })),
      ).catch(unlessMissing('ValidationError'));
      const [stack] = answer?.Stacks ?? [];
      if (!stack) return undefined;
      const outputs = (stack.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [
        OutputKey,
        OutputValue,
      ]);
      return { status: stack.StackStatus ?? '', outputs: Object.fromEntries(outputs) };
    },
    async secretState(name) {
      const answer = await callAws('Secrets Manager', () =>
        secrets.send(new DescribeSecretCommand({ SecretId: name })),
      ).catch(unlessMissing('ResourceNotFoundException'));
      if (!answer) return 'missing';
      return answer.DeletedDate ? 'deleted' : 'exists';
    },
    async hasTable(name) {
      const answer = await callAws('DynamoDB', () =>
        dynamodb.send(new DescribeTableCommand({ TableName: name })),
      ).catch(unlessMissing('ResourceNotFoundException'));
      return answer !== undefined;
    },
    async createSecret({ name, value, description, kmsKey }) {
      const named = {
        Name: name,
        Description: description,
        ...(kmsKey !== undefined && { KmsKeyId: kmsKey }),
      };
      await callAws('Secrets Manager', () =>
        secrets.send(new CreateSecretCommand({ ...named, SecretString: value })),
      );
    },
  };
}

async function regionOf(client: STSClient): Promise<string> {
  const region = await client.config.region().catch((cause: unknown) => {
    throw new ConfigError(
      'the AWS region is not known: set region of the stage in deltawatch.config.ts, use --region, or set AWS_REGION',
      { cause },
    );
  });
  return region;
}

const REFUSED = /^(ExpiredToken|InvalidClientTokenId|UnrecognizedClient|SignatureDoesNotMatch)/;

function refusedCredentials(error: unknown): never {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.name : '';
  const isMissing = error instanceof ConfigError;
  if (isMissing || (error instanceof UpstreamError && REFUSED.test(cause)))
    throw new ConfigError(
      `AWS ${isMissing ? 'credentials are missing' : 'rejected your credentials'}: log in, or use --profile for an AWS CLI profile`,
      { cause: error },
    );
  throw error;
}

/** For errors that mean that the thing does not exist: `undefined`. */
function unlessMissing(name: string): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof UpstreamError && error.cause instanceof Error && error.cause.name === name)
      return undefined;
    throw error;
  };
}
