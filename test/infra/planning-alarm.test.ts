import { describe, expect, test } from 'vitest';
import { STAGES } from '../../infra/stages.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
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

describe('an alarm when plan-checks is not called any more', () => {
  test('waits for plan-checks itself, and takes no figure for silence', () => {
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

  // A change of the clocks and an hour's delay are no silence, nor is a weekend of rules that rest then.
  test.each([
    [['15 minutes'], 3],
    [['hour at :05'], 3],
    [['day at 07:00'], 26],
    [['weekday at 07:00'], 74],
    [['cron 5 0,20 * * *'], 22],
    [['monday at 08:00', 'day at 07:00', 'hour at :05'], 3],
  ])('of rules each %s waits for %i hours', (cadences, hours) => {
    expect(alarmWith(...cadences)).toMatchObject({ Period: 3600, EvaluationPeriods: hours });
  });

  test('does not exist where rules rest for a week, which is as long as an alarm looks back', () => {
    expect(alarmWith('monday at 08:00')).toBeUndefined();
  });
});
