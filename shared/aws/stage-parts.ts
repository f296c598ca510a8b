import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { paginateListSchedules, SchedulerClient } from '@aws-sdk/client-scheduler';
import { paginateListSubscriptionsByTopic, SNSClient } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { AwsAccess } from './cloud.ts';
import { callAws, inBatchesOf } from './requests.ts';

export interface StackPart {
  /** The id in the template. */
  logicalId: string;
  /** The name, ARN or URL in AWS. */
  id: string;
  /** Such as `AWS::SQS::Queue`. */
  type: string;
}

export interface Subscription {
  endpoint: string;
  isConfirmed: boolean;
}

/** What tells whether the parts of a deployed stage work. */
export interface StageParts {
  partsOf(stack: string): Promise<StackPart[]>;
  /** The schedules of a group. */
  schedules(group: string): Promise<{ name: string; isEnabled: boolean }[]>;
  /** About how many messages are in the queue. */
  messagesIn(queueUrl: string): Promise<number>;
  /** Those of the alarms that are firing, with their texts. */
  firing(alarms: string[]): Promise<{ name: string; text: string }[]>;
  subscriptions(topicArn: string): Promise<Subscription[]>;
}

/** The most names in a request for alarms. */
const ALARMS_AT_ONCE = 100;

export function createStageParts(access: AwsAccess): StageParts {
  const formation = new CloudFormationClient(access);
  const scheduler = new SchedulerClient(access);
  const cloudwatch = new CloudWatchClient(access);
  const sqs = new SQSClient(access);
  const sns = new SNSClient(access);
  return {
    async partsOf(stack) {
      const pages = await pagesOf(
        'CloudFormation',
        paginateListStackResources({ client: formation }, { StackName: stack }),
      );
      return pages
        .flatMap((page) => page.StackResourceSummaries ?? [])
        .map(({ LogicalResourceId = '', PhysicalResourceId = '', ResourceType = '' }) => ({
          logicalId: LogicalResourceId,
          id: PhysicalResourceId,
          type: ResourceType,
        }));
    },
    async schedules(group) {
      const pages = await pagesOf(
        'EventBridge Scheduler',
        paginateListSchedules({ client: scheduler }, { GroupName: group }),
      );
      return pages
        .flatMap((page) => page.Schedules ?? [])
        .map(({ Name = '', State }) => ({ name: Name, isEnabled: State === 'ENABLED' }));
    },
    async messagesIn(queueUrl) {
      const { Attributes } = await callAws('SQS', () =>
        sqs.send(
          new GetQueueAttributesCommand({
            QueueUrl: queueUrl,
            AttributeNames: ['ApproximateNumberOfMessages'],
          }),
        ),
      );
      return Number(Attributes?.ApproximateNumberOfMessages ?? Number.NaN);
    },
    async firing(alarms) {
      const pages = await Promise.all(
        inBatchesOf(ALARMS_AT_ONCE, alarms).map((AlarmNames) =>
          pagesOf(
            'CloudWatch',
            paginateDescribeAlarms({ client: cloudwatch }, { AlarmNames, StateValue: 'ALARM' }),
          ),
        ),
      );
      return pages
        .flat()
        .flatMap((page) => page.MetricAlarms ?? [])
        .map(({ AlarmName = '', AlarmDescription = '' }) => ({ name: AlarmName, text: AlarmDescription }));
    },
    async subscriptions(topicArn) {
      const pages = await pagesOf(
        'SNS',
        paginateListSubscriptionsByTopic({ client: sns }, { TopicArn: topicArn }),
      );
      return pages
        .flatMap((page) => page.Subscriptions ?? [])
        .map(({ Endpoint = '', SubscriptionArn = '' }) => ({
          endpoint: Endpoint,
          isConfirmed: SubscriptionArn.startsWith('arn:'),
        }));
    },
  };
}

function pagesOf<Page>(service: string, pages: AsyncIterable<Page>): Promise<Page[]> {
  return callAws(service, async () => {
    const all: Page[] = [];
    for await (const page of pages) all.push(page);
    return all;
  });
}
