import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { alarmsOn, synthesize } from './synthesis.ts';

const ruleSet = ruleSetOf(ruleNamed('orders-hourly', { every: 'hour at :05' }));

describe.each(synthesize(ruleSet))('$stage.name', ({ stage, stacks: { state, alerting }, resources }) => {
  const ofType = (type: string) => resources.filter(({ Type }) => Type === type);
  // CDK adds its own function, which calls sync-rules during a deployment.
  const functions = ofType('AWS::Lambda::Function').filter(({ id }) => !id.startsWith('AWSCDK'));
  const alarms = ofType('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);

  test('alarms on the errors of every function, with a description', () => {
    for (const { id } of functions)
      expect(alarmsOn(resources, 'Errors', id), id).toEqual([
        expect.objectContaining({
          AlarmDescription: expect.stringMatching(/^[A-Z].{30,}\.$/),
        }),
      ]);
  });

  test('alarms if notify stops or cannot deliver', () => {
    alerting.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'Invocations',
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    });
    alerting.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: `Deltawatch/${stage.name}`,
      MetricName: 'NotificationsStuck',
      // A permanently rejected message is retried once an hour, so one period must suffice.
      Period: 3600,
      EvaluationPeriods: 1,
    });
    alerting.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'OldestPendingSeconds',
      // Whatever has just been retried, something has been pending throughout.
      Statistic: 'Minimum',
      Threshold: 3600,
      EvaluationPeriods: 2,
    });
  });

  test('mails every alarm and its end to the operators, through one topic', () => {
    const [topic, ...others] = ofType('AWS::SNS::Topic');
    expect(others).toEqual([]);
    const imported = { 'Fn::ImportValue': expect.stringContaining(`-state:ExportsOutputRef${topic?.id}`) };
    for (const { AlarmActions, OKActions } of alarms) {
      expect([[imported], [{ Ref: topic?.id }]]).toContainEqual(AlarmActions);
      expect(OKActions).toEqual(AlarmActions);
    }
    expect(ofType('AWS::SNS::Subscription').map(({ Properties }) => Properties)).toEqual([
      { Protocol: 'email', Endpoint: stage.operators, TopicArn: { Ref: topic?.id } },
    ]);
    state.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Allow', Principal: { Service: 'cloudwatch.amazonaws.com' } }),
        ]),
      },
    });
  });
});
