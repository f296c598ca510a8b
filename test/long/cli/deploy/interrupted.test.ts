import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSecrets, neededSecrets } from '../../../../cli/deploy/deploy-secrets.ts';
import { type FakeAccount, startAccount, variablesOf } from '../../../fixtures/aws-account.ts';
import { BAKERY_RULES } from '../../../fixtures/bakery.ts';
import { ruleSetOf } from '../../../fixtures/builders.ts';
import { eventually, type Folder, launchDeltawatch, temporaryFolder } from '../../../fixtures/deltawatch.ts';
import { STAGES } from '../../../fixtures/stages.ts';

const CONFIG = `export default {
  rules: 'alerts',
  stages: {
    live: {
      operators: 'platform@bakery.example',
      dataAccess: { kind: 'external', url: 'https://figures.bakery.example' },
    },
  },
};`;

/** Stands in for the command of `aws-cdk`: it runs until a signal, or for some seconds, and succeeds. */
const CDK = `const { appendFileSync } = require('node:fs');
const note = (text) => appendFileSync(__dirname + '/notes', text + '\\n');
process.on('SIGTERM', () => {
  note(process.argv[2] + ' got SIGTERM');
  process.exit(0);
});
note(process.argv[2] + ' began');
console.log('the CDK waits');
setTimeout(() => {}, 4000);`;

let folder: Folder;
let account: FakeAccount;
let bin: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  account = await startAccount();
  for (const [name, value] of Object.entries(variablesOf(account))) vi.stubEnv(name, value);
  account.state.stacks.set('CDKToolkit', { status: 'CREATE_COMPLETE' });
  for (const name of ['api-key', 'session-keys', 'signing-keys'])
    account.state.secrets.set(`deltawatch/live/${name}`, 'known');
  bin = join(folder.path, 'node_modules', 'aws-cdk', 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, '..', 'package.json'), '{ "name": "aws-cdk", "bin": { "cdk": "bin/cdk" } }');
  await writeFile(join(bin, 'cdk'), CDK);
  await writeFile(join(folder.path, 'deltawatch.config.ts'), CONFIG);
  await mkdir(join(folder.path, 'alerts'));
  await writeFile(join(folder.path, 'alerts', 'loaves.yaml'), BAKERY_RULES);
  const routes = 'channels: { bakers: { sns: { topic_arn: "arn:aws:sns:eu-north-1:111122223333:t" } } }';
  await writeFile(join(folder.path, 'alerts', 'routes.yaml'), `${routes}\ndefault: [bakers]`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await account[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

test('a signal to the command alone ends the CDK, and nothing is deployed', async () => {
  await using command = launchDeltawatch(['deploy', 'live', '--yes', '--as', 'ada'], folder.path);
  await Promise.race([
    eventually('the differences', () => command.printed().includes('the CDK waits') || undefined),
    command.ended,
  ]);
  command.kill('SIGTERM');
  expect(await command.ended).toMatchObject({ code: 143, stderr: expect.stringContaining('interrupted') });
  expect(await readFile(join(bin, 'notes'), 'utf8')).toBe('diff began\ndiff got SIGTERM\n');
});

test('an interrupted command creates no secrets', async () => {
  const [stage] = STAGES;
  if (!stage) throw new Error('there is no stage');
  vi.spyOn(console, 'log').mockReturnValue();
  const created: string[] = [];
  const parts = {
    cloud: { createSecret: async ({ name }: { name: string }) => void created.push(name) },
    askHidden: async () => 'value',
    newKey: () => 'key',
    signal: AbortSignal.abort('SIGTERM'),
  };
  const missing = neededSecrets(stage, ruleSetOf().routes);
  await expect(createSecrets(missing, stage, parts)).rejects.toBe('SIGTERM');
  expect(created).toEqual([]);
});
