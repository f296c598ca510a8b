import { Duration, RemovalPolicy, Stack, TimeZone, Validations } from 'aws-cdk-lib';
import { CfnFunction, type IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  ContextAttribute,
  Schedule,
  ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct, type IConstruct } from 'constructs';
import { type Cadence, cadenceName, schedulerExpression } from '../../shared/time/cadence.ts';
import type { DeadLetters } from './work-queue.ts';

interface ClockworkProps {
  /** Distinct: rules with the same cadence share a schedule. */
  cadences: Cadence[];
  /** Called at every tick of a cadence, with its name and the scheduled time. */
  onTick: IFunction;
  everyMinute: IFunction;
  deadLetters: DeadLetters;
}

/** All schedules of a stage. They only retry calls that did not reach Lambda; Lambda retries failures. */
export class Clockwork extends Construct {
  constructor(scope: Construct, id: string, { cadences, onTick, everyMinute, deadLetters }: ClockworkProps) {
    super(scope, id);
    for (const { node } of [onTick, everyMinute]) this.#acknowledgeVersions(node.defaultChild);
    const scheduleGroup = new ScheduleGroup(this, 'Schedules', { removalPolicy: RemovalPolicy.DESTROY });

    for (const cadence of cadences) {
      const name = cadenceName(cadence);
      const { expression, zone } = schedulerExpression(cadence);
      new Schedule(this, name, {
        scheduleGroup,
        scheduleName: name,
        schedule: ScheduleExpression.expression(expression, TimeZone.of(zone)),
        target: new LambdaInvoke(onTick, {
          input: ScheduleTargetInput.fromObject({
            cadence: name,
            scheduledAt: ContextAttribute.scheduledTime,
          }),
          retryAttempts: 5,
          maxEventAge: Duration.minutes(30),
          deadLetterQueue: deadLetters,
        }),
      });
    }

    new Schedule(this, 'every-minute', {
      scheduleGroup,
      scheduleName: 'every-minute',
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      // The call of the next minute replaces a lost one.
      target: new LambdaInvoke(everyMinute, {
        retryAttempts: 0,
        maxEventAge: Duration.minutes(1),
        deadLetterQueue: deadLetters,
      }),
    });
  }

  /** For cdk-nag: CDK creates the roles of schedules outside this construct. */
  #acknowledgeVersions(called: IConstruct | undefined): void {
    if (!(called instanceof CfnFunction)) return;
    const stack = Stack.of(this);
    Validations.of(stack).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${stack.getLogicalId(called)}.Arn>:*]`,
      reason: 'CDK lets a schedule call any version of its function. The function has no versions.',
    });
  }
}
