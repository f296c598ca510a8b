import { Aws } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';

/** What is wrong when, and what that means: `meaning` is all that the one who is woken reads first. */
interface Watch {
  metric: IMetric;
  /** `silent`: when nothing at all was measured, or less than `threshold`. */
  when: 'reaches' | 'silent';
  threshold: number;
  /** For how many periods in a row. */
  periods: number;
  meaning: string;
}

/**
 * Who hears when the system itself fails. By mail and never through Slack, for Slack may be what fails.
 */
export class Operators extends Construct {
  readonly #topic: Topic;

  constructor(scope: Construct, id: string, { mailbox }: { mailbox: string }) {
    super(scope, id);
    this.#topic = new Topic(this, 'Topic', { enforceSSL: true });
    this.#topic.addSubscription(new EmailSubscription(mailbox));
    // A topic with a policy of its own loses the one that lets this account's alarms in.
    this.#topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
  }

  /** Puts an alarm into `scope`, of which these operators hear. */
  watch(scope: Construct, id: string, { metric, when, threshold, periods, meaning }: Watch): void {
    const silent = when === 'silent';
    new Alarm(scope, id, {
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: silent
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: silent ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      alarmDescription: meaning,
    }).addAlarmAction(new SnsAction(this.#topic));
  }
}
