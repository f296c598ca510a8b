import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  type InstallationOptions,
  ofInstallation,
  withInstallation,
} from '../../../cli/options/installation.ts';
import { applyProject } from '../../../cli/options/project.ts';
import { reachStage } from '../../../cli/options/stages.ts';
import { Command } from '../../../cli/terminal/command.ts';
import { terminalLogger } from '../../../local/terminal.ts';
import { configSchema } from '../../../shared/config/config.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { storesIn } from '../../../shared/store/stores.ts';
import { type FakeAccount, startAccount, variablesOf } from '../../fixtures/aws-account.ts';
import { ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';
import { type EmulatedTable, openEmulatedTable } from '../../fixtures/dynamodb.ts';
import { portOf } from '../../fixtures/port-of-socket.ts';
import { STAGES } from '../../fixtures/stages.ts';
import { synthesize } from '../../infra/synthesis.ts';

const CONFIG = `export default {
  stages: {
    live: {
      account: '111122223333',
      region: 'eu-north-1',
      operators: 'platform@bakery.example',
      dataAccess: { kind: 'external', url: 'https://figures.bakery.example' },
    },
  },
};`;

const clock = new ManualClock(0);
let table: EmulatedTable;
let port: Awaited<ReturnType<typeof portOf>>;
let account: FakeAccount;
let folder: Folder;
beforeEach(async () => {
  account = await startAccount();
  for (const [name, value] of Object.entries(variablesOf(account))) vi.stubEnv(name, value);
  table = await openEmulatedTable(clock);
  port = await portOf(table.socketPath);
  account.state.dynamodb = port.url;
  account.state.stacks.set('deltawatch-live-state', {
    status: 'UPDATE_COMPLETE',
    outputs: { TableName: table.name },
  });
  folder = await temporaryFolder();
  await writeFile(join(folder.path, 'deltawatch.config.ts'), CONFIG);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await port[Symbol.asyncDispose]();
  await table.close();
  await account[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** The deployed version of the installation that these options select. */
async function deployedVersionAt(...args: string[]): Promise<string | undefined> {
  let version: string | undefined;
  const command = ofInstallation(new Command('any')).action(async (options: InstallationOptions) => {
    const found = await withInstallation(options, clock, ({ stores }) => stores.rules.findCurrent());
    version = found?.version;
  });
  command.hook('preAction', () => applyProject(command, folder.path));
  command.exitOverride().configureOutput({ writeErr: () => {} });
  await command.parseAsync(args, { from: 'user' });
  return version;
}

test('--stage uses the table of the stage, in its region', async () => {
  await storesIn(table, terminalLogger).rules.save(ruleSetOf(ruleNamed('sales')));
  expect(await deployedVersionAt('--stage', 'live')).toBe('v1');
});

test.each([
  [['--stage', 'liv'], /there is no stage "liv" in .*; did you mean "live"\?/],
  [['--stage', 'live', '--state', 'b'], 'cannot be used with'],
  [['--stage', 'live', '--region', 'us-east-1'], 'the stage "live" belongs to eu-north-1'],
  [['--region', 'eu-central-1'], '--profile and --region require --stage'],
  [['--profile', 'me'], '--profile and --region require --stage'],
])('%j is refused', async (args, problem) => {
  await expect(deployedVersionAt(...args)).rejects.toThrow(problem);
});

test.each<[string, (account: FakeAccount['state']) => void, string]>([
  [
    'the credentials of another account',
    (state) => {
      state.account = '999999999999';
    },
    'the credentials are those of the account 999999999999',
  ],
  [
    'a stage that does not exist yet',
    ({ stacks }) => stacks.clear(),
    'there is no stack "deltawatch-live-state" in the account 111122223333, region eu-north-1: deploy it with "npx deltawatch deploy live"',
  ],
  [
    'no right to see stacks',
    ({ refused }) => refused.set('DescribeStacks', 'AccessDenied'),
    'CloudFormation refused: AccessDenied',
  ],
  [
    'no right to the table',
    ({ refused }) => refused.set('GetItem', 'AccessDeniedException'),
    'docs/how-to/operating.md lists the permissions',
  ],
])('explains %s', async (_, breakIt, problem) => {
  breakIt(account.state);
  await expect(deployedVersionAt('--stage', 'live')).rejects.toThrow(problem);
});

test('a stage is found by its name, and takes account and region from the credentials', async () => {
  const config = configSchema.parse({ rules: 'rules' });
  const project = { dir: '/shop', file: '/shop/deltawatch.config.ts', config: { ...config, stages: STAGES } };
  const { stage, access } = await reachStage('production', { project, region: 'eu-north-1' });
  expect(stage).toMatchObject({ name: 'production', account: '111122223333', region: 'eu-north-1' });
  expect(access).toEqual({ region: 'eu-north-1' });
  await expect(reachStage('x', { project })).rejects.toThrow(/it has staging, production/);
  await expect(reachStage('x', { project: { ...project, config } })).rejects.toThrow(/has no stages/);
  const none = { ...project, file: undefined, config };
  await expect(reachStage('x', { project: none })).rejects.toThrow(/deltawatch init/);
});

test('the stacks have the outputs that the commands read', () => {
  const [made] = synthesize(ruleSetOf(ruleNamed('sales')), STAGES.slice(0, 1));
  expect(Object.keys(made?.stacks.state.findOutputs('*') ?? {})).toContain('TableName');
  expect(Object.keys(made?.stacks.respond.findOutputs('*') ?? {})).toContain('Url');
});
