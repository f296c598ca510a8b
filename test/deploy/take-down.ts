import {
  CloudFormationClient,
  DeleteStackCommand,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import {
  DeleteObjectsCommand,
  ListBucketsCommand,
  ListObjectVersionsCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';

/** Deletes a stack of the stage, and waits until it is gone. */
export async function deleteStack(part: string): Promise<void> {
  const client = new CloudFormationClient();
  const StackName = `deltawatch-staging-${part}`;
  await client.send(new DeleteStackCommand({ StackName }));
  await waitUntilStackDeleteComplete({ client, maxWaitTime: 120, minDelay: 1, maxDelay: 1 }, { StackName });
}

/** Deletes every version of every object in the bucket. */
export async function emptyBucket(Bucket: string): Promise<void> {
  const client = new S3Client();
  const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }));
  const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }));
  if (Objects.length === 0) return;
  await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  await emptyBucket(Bucket);
}

/** The names of all tables, functions, buckets, queues and schedules of the account. */
export async function resources(): Promise<string[]> {
  const { TableNames = [] } = await new DynamoDBClient().send(new ListTablesCommand());
  const { Functions = [] } = await new LambdaClient().send(new ListFunctionsCommand());
  const { Buckets = [] } = await new S3Client().send(new ListBucketsCommand());
  const { QueueUrls = [] } = await new SQSClient().send(new ListQueuesCommand());
  const { Schedules = [] } = await new SchedulerClient().send(new ListSchedulesCommand());
  return [
    ...TableNames,
    ...Functions.map(({ FunctionName = '' }) => FunctionName),
    ...Buckets.map(({ Name = '' }) => Name),
    ...QueueUrls,
    ...Schedules.map(({ Name = '' }) => Name),
  ];
}
