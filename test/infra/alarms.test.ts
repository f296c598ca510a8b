import { describe, expect, test } from 'vitest';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { STAGES } from '../fixtures/stages.ts';
import { resourcesOf, synthesize } from './synthesis.ts';

const [staging] = STAGES;
if (!staging) throw new Error('there is no stage');

function alarmsWith(...cadences: string[]) {
  const rules = cadences.map((every, i) => ruleNamed(`rule-${i}`, { every, zone: 'Europe/Berlin' }));
  const [{ stacks } = {}] = synthesize(
    ruleSetOf(...rules),
    [staging].flatMap((stage) => stage ?? []),
  );
  return stacks ? resourcesOf(stacks.alerting) : [];
}

function alarmWith(...cadences: string[]) {
  return alarmsWith(...cadences).find(({ id }) => id.startsWith('NothingPlanned'))?.Properties;
}

test('a shortage of calls fires once, however many runs of a day find it', () => {
  const resources = alarmsWith('hour at :05');
  expect(resources.find(({ id }) => id.startsWith('CallsMissing'))?.Properties).toMatchObject({
    ...{ MetricName: 'CallsMissing', Statistic: 'Sum', Period: 86_400, EvaluationPeriods: 1 },
    TreatMissingData: 'notBreaching',
  });
  const planChecks = resources.find(
    ({ id, Properties }) => id.startsWith('planchecks') && Properties.Environment !== undefined,
  );
  expect(planChecks?.Properties.Environment).toMatchObject({ Variables: { CALLS_PER_HOUR: '400' } });
});

test('an error that a retry healed fires no alarm, but a failed deployment of rules does', () => {
  const thresholds = alarmsWith('hour at :05')
    .filter(({ Properties }) => Properties.MetricName === 'Errors')
    .map(({ id, Properties }) => [id.replace(/Failing.*/, ''), Properties.Threshold, Properties.Period]);
  expect(thresholds.toSorted()).toEqual([
    ['checkrules', 3, 900],
    ['notify', 3, 900],
    ['planchecks', 3, 900],
    ['syncrules', 1, 900],
  ]);
});

test('a table that is throttled for 15 minutes fires an alarm, and has a limit', () => {
  const [{ stacks } = {}] = synthesize(
    ruleSetOf(),
    [staging].flatMap((stage) => stage ?? []),
  );
  const resources = stacks ? resourcesOf(stacks.state) : [];
  for (const MetricName of ['ReadThrottleEvents', 'WriteThrottleEvents'])
    expect(resources).toContainEqual(
      expect.objectContaining({
        Properties: expect.objectContaining({ MetricName, EvaluationPeriods: 3, Threshold: 1 }),
      }),
    );
  const table = resources.find(({ Type }) => Type === 'AWS::DynamoDB::GlobalTable');
  expect(JSON.stringify(table)).toMatch(
    /"MaxReadRequestUnits":12000.*"MaxWriteRequestUnits":4000|"MaxWriteRequestUnits":4000.*"MaxReadRequestUnits":12000/,
  );
});

test('a queue keeps a message for longer than its last retry can take', () => {
  const queues = alarmsWith('hour at :05').filter(({ Type }) => Type === 'AWS::SQS::Queue');
  const retried = queues.flatMap(({ Properties }) => {
    const { RedrivePolicy, VisibilityTimeout, MessageRetentionPeriod = 4 * 86_400 } = Properties;
    if (RedrivePolicy === undefined) return [];
    const [, deliveries] = /"maxReceiveCount":(\d+)/.exec(JSON.stringify(RedrivePolicy)) ?? [];
    return [Number(MessageRetentionPeriod) / (Number(deliveries) * Number(VisibilityTimeout))];
  });
  expect(retried).toHaveLength(2);
  expect(Math.min(...retried)).toBeGreaterThan(2);
});

describe('the alarm on plan-checks without invocations', () => {
  test('watches the invocations of plan-checks, and treats missing data as breaching', () => {
    expect(alarmWith('hour at :05')).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'Invocations',
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: expect.stringMatching(/^planchecks/) } }],
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      TreatMissingData: 'breaching',
      AlarmDescription: expect.stringContaining('for 3 hours'),
    });
  });

  // A clock change, an hour's delay or a weekend without runs must not trigger the alarm.
  test.each([
    [['15 minutes'], 3],
    [['hour at :05'], 3],
    [['day at 07:00'], 26],
    [['weekday at 07:00'], 74],
    [['cron 5 0,20 * * *'], 22],
    [['monday at 08:00', 'day at 07:00', 'hour at :05'], 3],
  ])('with rules each %s waits for %i hours', (cadences, hours) => {
    expect(alarmWith(...cadences)).toMatchObject({ Period: 3600, EvaluationPeriods: hours });
  });

  test('does not exist for weekly rules, because alarms cover at most a week', () => {
    expect(alarmWith('monday at 08:00')).toBeUndefined();
  });
});
