import './localhost-names.ts';
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DynamoDBClient, RestoreTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, onTestFailed, test, vi } from 'vitest';
import * as z from 'zod';
import { bundleFunctions } from '../../infra/bundles.ts';
import { eventually, type Folder, temporaryFolder } from '../fixtures/deltawatch.ts';
import { type LoopbackServer, listen } from '../fixtures/loopback-server.ts';
import { ACCOUNT, type Emulator, REGION, startEmulator } from './emulator.ts';
import { resources } from './resources.ts';
import { CADENCE, LAST_RUN_AT, ROUTES, RUN_BEFORE_AT, rulesOn } from './shop.ts';
import {
  findStack,
  outputOf,
  type Repository,
  repositoryIn,
  runSchedule,
  storeSecret,
  stubEnvironment,
  succeed,
} from './stage.ts';

// A stage in an app of a team, which keeps its state: it gets a new name, a restored table, a new version and its old
// version again.

const OWN_APP = ['--app', `${process.execPath} ${join(import.meta.dirname, 'own-app.ts')}`];
/** Nothing answers there. */
const SERVICE = 'https://127.0.0.1:9';

const SETTINGS = { dataAccess: { kind: 'external', url: SERVICE }, operators: 'oncall@example.com' };

let emulator: Emulator;
let folder: Folder;
let repository: Repository;
let slack: LoopbackServer;
let bundles: string;
const messages: string[] = [];

beforeAll(async () => {
  emulator = await startEmulator();
  stubEnvironment(emulator.environment);
  slack = await listen((_, body, response) => {
    messages.push(body);
    response.end('ok');
  });
  folder = await temporaryFolder();
  repository = repositoryIn(folder.path);
  bundles = join(folder.path, 'bundles');
  await bundleFunctions(bundles);
  await mkdir(join(folder.path, 'rules'));
  const stages = JSON.stringify({ kept: SETTINGS, renamed: SETTINGS });
  await repository.write('deltawatch.config.ts', `export default { rules: 'rules', stages: ${stages} };`);
  await repository.write('rules/routes.yaml', ROUTES);
  await repository.write('rules/shop.yaml', rulesOn('search'));
  await succeed(repository.cdk('bootstrap', `aws://${ACCOUNT}/${REGION}`));
  for (const stage of ['kept', 'renamed']) {
    await storeSecret(`deltawatch/${stage}/slack-webhook`, `${slack.url}/services/${stage}`);
    await storeSecret(`deltawatch/${stage}/api-key`, 'a-key-of-the-service');
    for (const keys of ['signing-keys', 'session-keys'])
      await storeSecret(`deltawatch/${stage}/${keys}`, 'dGhlIGtleSB0aGF0IHNpZ25zIGluIHRoZXNlIHRlc3RzIQ==');
  }
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await slack?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
  await emulator?.[Symbol.asyncDispose]();
});

const deltawatch = (...args: string[]) => succeed(repository.deltawatch(...args));

/** Deploys the app of the team with this stage in it. */
async function deploy(name: string, settings: object = {}): Promise<void> {
  onTestFailed(async () => console.error((await emulator.log()).slice(-10_000)));
  await repository.write('stage.json', JSON.stringify({ name, bundles, ...SETTINGS, ...settings }));
  await succeed(repository.cdk('deploy', ...OWN_APP, '--all', '--require-approval', 'never'));
}

const notes = async (stage: string) =>
  z
    .array(z.object({ text: z.string() }))
    .parse(JSON.parse(await deltawatch('note', '--list', '--json', '--stage', stage)))
    .map(({ text }) => text);

const activeRules = async (stage: string) =>
  z
    .object({ rules: z.object({ count: z.number() }) })
    .parse(JSON.parse(await deltawatch('status', '--stage', stage, '--json'))).rules.count;

let table: string;

test('the construct in an app of a team deploys a stage, whose schedule sends by itself', async () => {
  await deploy('kept');
  table = await outputOf('state', 'TableName', 'kept');
  expect(await deltawatch('test-notification', '--stage', 'kept')).toMatch(/team: sent\n$/);
  expect(messages).toHaveLength(1);
});

test('a service that does not answer is a fault of the stage, and pages nobody before the first answer', async () => {
  await runSchedule(CADENCE, RUN_BEFORE_AT);
  await eventually('the reason', async () => {
    const { stdout } = await repository.deltawatch('status', '--stage', 'kept');
    return stdout.replaceAll(/\s+/g, ' ').includes('cannot be reached') || undefined;
  });
  await runSchedule('every-minute', Date.now());
  expect(messages).toHaveLength(1);
});

test('destroy keeps the table of a stage that keeps its state, and the stage continues under a new name', async () => {
  await deltawatch('note', 'before the new name', '--stage', 'kept');
  const printed = await deltawatch('destroy', 'kept', '--yes', 'kept');
  expect(printed).toMatch(new RegExp(`Stays:\n {2}the table ${table}\n`));
  expect(await findStack('state', 'kept')).toBeUndefined();
  const bucket = `cdk-hnb659fds-assets-${ACCOUNT}-${REGION}`;
  expect(await resources()).toEqual([table, bucket]);

  await deploy('renamed', { state: { table } });
  expect(await outputOf('state', 'TableName', 'renamed')).toBe(table);
  expect(await notes('renamed')).toEqual(['before the new name']);
  expect(await activeRules('renamed')).toBe(1);
});

test('a running stage continues with a restored table, and with a new version', async () => {
  const restored = { SourceTableName: table, TargetTableName: 'restored', UseLatestRestorableTime: true };
  await new DynamoDBClient().send(new RestoreTableToPointInTimeCommand(restored));
  await deltawatch('note', 'after the backup', '--stage', 'renamed');
  await appendFile(join(bundles, 'notify', 'index.mjs'), '\n// The next version.\n');
  await repository.write('rules/shop.yaml', rulesOn('search', 'order'));
  await deploy('renamed', { state: { table: 'restored' } });
  expect(await notes('renamed')).toEqual(['before the new name']);
  expect(await activeRules('renamed')).toBe(2);
  await runSchedule(CADENCE, LAST_RUN_AT);
  await eventually('the end of the run', async () => {
    const { stdout } = await repository.deltawatch('status', '--stage', 'renamed');
    return stdout.includes('order') || undefined;
  });
});

test('the version before is deployed again with its rules, and reads what the newer one wrote', async () => {
  await bundleFunctions(bundles);
  await repository.write('rules/shop.yaml', rulesOn('search'));
  await deltawatch('note', 'by the newer version', '--stage', 'renamed');
  await deploy('renamed', { state: { table: 'restored' } });
  expect(await activeRules('renamed')).toBe(1);
  expect(await notes('renamed')).toContain('by the newer version');
  await deltawatch('plan', '--stage', 'renamed', '--exit-code');
  await runSchedule('every-minute', Date.now());
  expect(messages).toHaveLength(1);
});
