import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { paginateListSubscriptionsByTopic, SNSClient } from '@aws-sdk/client-sns';
import type { AwsAccess } from './cloud.ts';
import { callAws, inBatchesOf } from './requests.ts';

export interface StackPart {
  /** Its name in the template. */
  name: string;
  /** The name or ARN in AWS. */
  id: string;
  /** Such as `AWS::SNS::Topic`. */
  type: string;
}

interface Subscription {
  endpoint: string;
  isConfirmed: boolean;
}

/** What tells whether the parts of a deployed stage work. */
export interface StageParts {
  partsOf(stack: string): Promise<StackPart[]>;
  /** Those of the alarms that are firing, with their texts. */
  firing(alarms: string[]): Promise<{ name: string; text: string }[]>;
  subscriptions(topicArn: string): Promise<Subscription[]>;
}

/** The most names in a request for alarms. */
const ALARMS_AT_ONCE = 100;

export function createStageParts(access: AwsAccess): StageParts {
  const formation = new CloudFormationClient(access);
  const cloudwatch = new CloudWatchClient(access);
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
          name: LogicalResourceId,
          id: PhysicalResourceId,
          type: ResourceType,
        }));
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

export function pagesOf<Page>(service: string, pages: AsyncIterable<Page>): Promise<Page[]> {
  return callAws(service, async () => {
    const all: Page[] = [];
    for await (const page of pages) all.push(page);
    return all;
  });
}
