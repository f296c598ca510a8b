import { Aws } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Stage } from '../../shared/config/stage.ts';
import { customerKey } from './customer-key.ts';

/** When an alarm fires, and its text: `meaning` says what happened, what it means and what to do. */
interface Watch {
  metric: IMetric;
  /** `silent`: the metric has no data, or is below `threshold`. Default: it reaches `threshold`. */
  when?: 'silent';
  /** Default: 1. */
  threshold?: number;
  /** The number of consecutive periods. Default: 1. */
  periods?: number;
  meaning: string;
}

/**
 * Notifies the operators by email if the system itself fails, and when that ends. Never through Slack, because Slack may
 * be what fails. One for all stacks of a stage, so that its mailbox confirms one subscription.
 */
export class Operators extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    const masterKey = customerKey(stage, this, 'Topic');
    this.topic = new Topic(this, 'Topic', { enforceSSL: true, ...(masterKey && { masterKey }) });
    this.topic.addSubscription(new EmailSubscription(stage.operators));
    // A topic with its own policy loses the default one, which admits the alarms of this account.
    this.topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
  }

  /** Adds an alarm to `scope` that notifies these operators. */
  watch(scope: Construct, id: string, { metric, when, threshold = 1, periods = 1, meaning }: Watch): void {
    const silent = when === 'silent';
    const alarm = new Alarm(scope, id, {
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: silent
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: silent ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      alarmDescription: meaning,
    });
    const mail = new SnsAction(this.topic);
    alarm.addAlarmAction(mail);
    alarm.addOkAction(mail);
  }
}
