import { expect, test, vi } from 'vitest';
import { accessTo, locatedStage, stageNamed, tableOfStage } from '../../../cli/options/stages.ts';
import { createCloud } from '../../../shared/aws/cloud.ts';
import { configSchema } from '../../../shared/config/config.ts';
import { startAccount, variablesOf } from '../../fixtures/aws-account.ts';
import { ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { STAGES } from '../../fixtures/stages.ts';
import { synthesize } from '../../infra/synthesis.ts';

const place = { account: '111122223333', region: 'eu-north-1' };
const [first] = STAGES;
if (!first) throw new Error('there is no stage');

test('the table of a stage is an output of its stack', async () => {
  await using account = await startAccount();
  for (const [name, value] of Object.entries(variablesOf(account))) vi.stubEnv(name, value);
  const cloud = createCloud({});
  await expect(tableOfStage('live', cloud)).rejects.toThrow(
    'there is no stack "deltawatch-live-state" in the account 111122223333, region eu-north-1',
  );
  account.state.stacks.set('deltawatch-live-state', {
    status: 'CREATE_COMPLETE',
    outputs: { TableName: 'T' },
  });
  expect(await tableOfStage('live', cloud)).toBe('T');
  account.state.refused.set('DescribeStacks', 'AccessDenied');
  await expect(tableOfStage('live', cloud)).rejects.toThrow('CloudFormation refused: AccessDenied');
  vi.unstubAllEnvs();
});

test('the stacks have the outputs that the commands read', () => {
  const [made] = synthesize(ruleSetOf(ruleNamed('sales')), [first]);
  expect(Object.keys(made?.stacks.state.findOutputs('*') ?? {})).toContain('TableName');
  expect(Object.keys(made?.stacks.respond.findOutputs('*') ?? {})).toContain('Url');
});

test('a stage is found by its name', () => {
  const config = configSchema.parse({ rules: 'rules' });
  const project = { dir: '/shop', file: '/shop/deltawatch.config.ts', config: { ...config, stages: STAGES } };
  expect(stageNamed(project, 'production').name).toBe('production');
  expect(() => stageNamed(project, 'productoin')).toThrow(/no stage "productoin".*did you mean "production"/);
  expect(() => stageNamed(project, 'x')).toThrow(/it has staging, production/);
  expect(() => stageNamed({ ...project, config }, 'x')).toThrow(/has no stages: describe "x" under "stages"/);
  expect(() => stageNamed({ ...project, file: undefined, config }, 'x')).toThrow(/deltawatch init/);
});

test('a stage belongs to one account and region', () => {
  expect(locatedStage(first, place)).toMatchObject(place);
  expect(() => locatedStage({ ...first, account: '999999999999' }, place)).toThrow(/belongs to 999999999999/);
  expect(accessTo(first, { region: 'eu-west-1', profile: 'ops' })).toEqual({
    region: 'eu-west-1',
    profile: 'ops',
  });
  const fixed = { ...first, region: 'eu-north-1' };
  expect(accessTo(fixed, {})).toEqual({ region: 'eu-north-1' });
  expect(() => accessTo(fixed, { region: 'eu-west-1' })).toThrow(/belongs to eu-north-1/);
});
