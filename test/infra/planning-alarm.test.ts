import { describe, expect, test } from 'vitest';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { STAGES } from '../fixtures/stages.ts';
import { resourcesOf, synthesize } from './synthesis.ts';

const [staging] = STAGES;
if (!staging) throw new Error('there is no stage');

function alarmWith(...cadences: string[]) {
  const rules = cadences.map((every, i) => ruleNamed(`rule-${i}`, { every, zone: 'Europe/Berlin' }));
  const [{ stacks } = {}] = synthesize(
    ruleSetOf(...rules),
    [staging].flatMap((stage) => stage ?? []),
  );
  return (stacks ? resourcesOf(stacks.alerting) : []).find(({ id }) => id.startsWith('NothingPlanned'))
    ?.Properties;
}

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
