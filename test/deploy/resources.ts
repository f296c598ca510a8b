import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';

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
