import { Duration, Names, Stack, Validations } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct, RootConstruct } from 'constructs';
import type { Operators } from './operators.ts';

/** Deliveries of a message before it moves to the dead-letter queue, by default. */
const DELIVERIES = 3;

interface DeadLettersProps {
  operators: Operators;
  /** The text of the alarm: what a message here means. */
  lossImpact: string;
}

/** A dead-letter queue that keeps messages for two weeks. Its first message fires an alarm. */
export class DeadLetters extends Queue {
  constructor(scope: Construct, id: string, { operators, lossImpact }: DeadLettersProps) {
    super(scope, id, { enforceSSL: true, retentionPeriod: Duration.days(14) });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'This is the dead-letter queue. Its first message fires an alarm.',
    });
    operators.watch(this, 'Filled', {
      metric: this.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(1),
        statistic: 'Maximum',
      }),
      meaning: `${lossImpact} Find the cause in the logs and fix it, then redrive or purge this queue.`,
    });
  }
}

interface WorkQueueProps extends DeadLettersProps {
  /** The timeout of the function that consumes the queue. */
  workTimeout: Duration;
  deliveries?: number;
  /** A message that waits longer than this fires an alarm. */
  patience: Duration;
  /** The text of that alarm: what waiting messages mean. */
  delayImpact: string;
}

/** A queue in front of a function, with a dead-letter queue and an alarm on waiting messages. */
export class WorkQueue extends Queue {
  constructor(scope: Construct, id: string, props: WorkQueueProps) {
    const { operators, workTimeout, patience, delayImpact, deliveries = DELIVERIES } = props;
    super(scope, id, {
      enforceSSL: true,
      // Lambda recommends six times the timeout, so that throttled deliveries do not count as failures.
      visibilityTimeout: Duration.seconds(6 * workTimeout.toSeconds()),
      deadLetterQueue: {
        queue: new DeadLetters(scope, `${id}DeadLetters`, props),
        maxReceiveCount: deliveries,
      },
    });
    operators.watch(this, 'Waiting', {
      metric: this.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(5), statistic: 'Maximum' }),
      threshold: patience.toSeconds(),
      meaning: `${delayImpact} Check the errors and throttles of the function that consumes this queue.`,
    });
  }

  /**
   * Like an `SqsEventSource`, whose id has the path in the app: moved into another construct, the app would replace the
   * mapping, and Lambda refuses a second mapping of the same queue and function.
   */
  consumedBy(consumer: LambdaFunction, limits: { batchSize: number; maxConcurrency: number }): void {
    const stack = new Construct(new RootConstruct(), Stack.of(this).stackName);
    const name = Names.nodeUniqueId(new Construct(stack, this.node.id).node);
    consumer.addEventSourceMapping(`SqsEventSource:${name}`, { ...limits, eventSourceArn: this.queueArn });
    this.grantConsumeMessages(consumer);
  }
}
