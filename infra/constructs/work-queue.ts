import { Duration, Validations } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Operators } from './operators.ts';

/** Deliveries of one message before it is set aside, by default. */
const DELIVERIES = 3;

interface DeadLettersProps {
  operators: Operators;
  /** What people miss for each message that ends here. */
  lossImpact: string;
}

/** Where work ends that failed for good. It is kept for two weeks, and its first message raises an alarm. */
export class DeadLetters extends Queue {
  constructor(scope: Construct, id: string, { operators, lossImpact }: DeadLettersProps) {
    super(scope, id, { enforceSSL: true, retentionPeriod: Duration.days(14) });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'This is the dead-letter queue. Its first message raises an alarm.',
    });
    operators.watch(this, 'Filled', {
      metric: this.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(1),
        statistic: 'Maximum',
      }),
      when: 'reaches',
      threshold: 1,
      periods: 1,
      meaning: `${lossImpact} Find the cause in the logs, mend it, and redrive or purge this queue.`,
    });
  }
}

interface WorkQueueProps extends DeadLettersProps {
  /** The timeout of the function that works on it. */
  workTimeout: Duration;
  deliveries?: number;
  /** A message that waits longer than this raises an alarm. */
  patience: Duration;
  /** What people miss while messages wait. */
  delayImpact: string;
}

/** Work that waits for a function, with its dead letters; alarmed when it piles up. */
export class WorkQueue extends Queue {
  constructor(scope: Construct, id: string, props: WorkQueueProps) {
    const { operators, workTimeout, patience, delayImpact, deliveries = DELIVERIES } = props;
    super(scope, id, {
      enforceSSL: true,
      // As Lambda asks for: throttled deliveries must not make a message seem failed.
      visibilityTimeout: Duration.seconds(6 * workTimeout.toSeconds()),
      deadLetterQueue: {
        queue: new DeadLetters(scope, `${id}DeadLetters`, props),
        maxReceiveCount: deliveries,
      },
    });
    operators.watch(this, 'Waiting', {
      metric: this.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(5), statistic: 'Maximum' }),
      when: 'reaches',
      threshold: patience.toSeconds(),
      periods: 1,
      meaning: `${delayImpact} Look at the errors and throttles of the function that works on this queue.`,
    });
  }
}
