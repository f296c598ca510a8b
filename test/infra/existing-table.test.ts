import { expect, test } from 'vitest';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { TABLES_STAGE } from '../fixtures/tables-stage.ts';
import { mentions, resourcesOf, synthesize } from './synthesis.ts';

const [made] = synthesize(ruleSetOf(ruleNamed('orders')), [
  { ...TABLES_STAGE, state: { table: 'restored' } },
]);
if (!made) throw new Error('no stage');
const { state, respond, alerting } = made.stacks;

test('functions, rights and figures are those of the named table', () => {
  const users = [...resourcesOf(respond), ...resourcesOf(alerting)];
  const functions = users.filter(
    ({ Type, id }) => Type === 'AWS::Lambda::Function' && !id.startsWith('AWSCDK'),
  );
  expect(functions).toHaveLength(5);
  for (const { Properties, id } of functions)
    expect(Properties.Environment, id).toMatchObject({ Variables: { TABLE_NAME: 'restored' } });
  const text = JSON.stringify(users);
  for (const end of ['table/restored"', 'table/restored/index/pending"', 'table/restored/index/open"'])
    expect(text).toContain(end);
  const [dashboard] = users.filter(({ Type }) => Type === 'AWS::CloudWatch::Dashboard');
  expect(mentions(dashboard, 'restored', 'part')).toBe(true);
  expect(text).not.toContain('state:ExportsOutputRefTable');
});

test('commands and alarms find the named table', () => {
  state.hasOutput('TableName', { Value: 'restored' });
  for (const MetricName of ['ReadThrottleEvents', 'WriteThrottleEvents'])
    state.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName,
      Dimensions: [{ Name: 'TableName', Value: 'restored' }],
    });
});
