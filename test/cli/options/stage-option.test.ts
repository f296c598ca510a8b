import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ofInstallation } from '../../../cli/options/installation.ts';
import { applyProject } from '../../../cli/options/project.ts';
import { type FakeAccount, startAccount, variablesOf } from '../../fixtures/aws-account.ts';
import { type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';

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

let account: FakeAccount;
let folder: Folder;
beforeEach(async () => {
  account = await startAccount();
  for (const [name, value] of Object.entries(variablesOf(account))) vi.stubEnv(name, value);
  account.state.stacks.set('deltawatch-live-state', {
    status: 'UPDATE_COMPLETE',
    outputs: { TableName: 'state-of-live' },
  });
  folder = await temporaryFolder();
  await writeFile(join(folder.path, 'deltawatch.config.ts'), CONFIG);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await account[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** The options of a command as its action sees them. */
async function options(...words: string[]): Promise<Record<string, unknown>> {
  const command = ofInstallation(new Command('status'))
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .action(() => {});
  command.hook('preAction', () => applyProject(command, folder.path));
  await command.parseAsync(words, { from: 'user' });
  return command.opts();
}

test('--stage uses the table and the region of the stage', async () => {
  expect(await options('--stage', 'live')).toMatchObject({ table: 'state-of-live', region: 'eu-north-1' });
});

test.each([
  [['--stage', 'liv'], /there is no stage "liv" in .*; did you mean "live"\?/],
  [['--stage', 'live', '--table', 'other'], /cannot be used with option/],
  [['--stage', 'live', '--region', 'us-east-1'], /the stage "live" belongs to eu-north-1/],
])('%j is refused', async (words, problem) => {
  await expect(options(...words)).rejects.toThrow(problem);
});

test('--stage refuses the credentials of another account', async () => {
  account.state.account = '999999999999';
  await expect(options('--stage', 'live')).rejects.toThrow(
    /credentials are those of the account 999999999999/,
  );
});

test('--stage says how to deploy a stage that does not exist yet', async () => {
  account.state.stacks.clear();
  await expect(options('--stage', 'live')).rejects.toThrow('npx deltawatch deploy live');
});
