import { Command } from 'commander';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ofInstallation, withInstallation } from '../../../cli/options/installation.ts';
import type { Place } from '../../../local/installation.ts';
import { type LocalTable, openLocalTable } from '../../../local/table.ts';
import { terminalLogger } from '../../../local/terminal.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { storesIn } from '../../../shared/store/dynamodb/stores.ts';
import { ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { listen } from '../../fixtures/loopback-server.ts';
import { portOf } from '../../fixtures/port-of-socket.ts';

const clock = new ManualClock(0);
let table: LocalTable;
let port: Awaited<ReturnType<typeof portOf>>;
beforeEach(async () => {
  table = await openLocalTable(clock);
  port = await portOf(table.socketPath);
  vi.stubEnv('AWS_ENDPOINT_URL', port.url);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'none');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'none');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await port[Symbol.asyncDispose]();
  await table.close();
});

/** The deployed version of the installation that these options select. */
async function deployedVersionAt(...args: string[]): Promise<string | undefined> {
  let version: string | undefined;
  const command = ofInstallation(new Command('any')).action(async (place: Place) => {
    const found = await withInstallation(place, clock, ({ stores }) => stores.rules.findCurrent());
    version = found?.version;
  });
  command.exitOverride().configureOutput({ writeErr: () => {} });
  await command.parseAsync(args, { from: 'user' });
  return version;
}

const REGION = ['--region', 'eu-central-1'];

test('--table selects a stage by the name of its table', async () => {
  const { rules } = storesIn(table, terminalLogger);
  await rules.save(ruleSetOf(ruleNamed('sales')));
  expect(await deployedVersionAt('--table', table.name, ...REGION)).toBe('v1');
});

test('an error names an unknown table and where to find the right name', async () => {
  await expect(deployedVersionAt('--table', 'nowhere', ...REGION)).rejects.toThrow(
    'there is no table "nowhere" in this account and region: use output TableName of the stack deltawatch-STAGE-state',
  );
});

test.each([
  ['AccessDeniedException', 'docs/how-to/operating.md lists the permissions'],
  ['ExpiredTokenException', 'log in again'],
])('explains %s of AWS', async (name, words) => {
  await using aws = await listen((_, __, response) => {
    response.writeHead(400, { 'Content-Type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'no' }));
  });
  vi.stubEnv('AWS_ENDPOINT_URL', aws.url);
  await expect(deployedVersionAt('--table', 'staging', ...REGION)).rejects.toThrow(words);
});

test.each([
  [['--region', 'eu-central-1'], 'require --stage or --table'],
  [['--profile', 'me'], 'require --stage or --table'],
  [['--table', 'a', '--state', 'b'], 'cannot be used with'],
])('rejects %j', async (args, problem) => {
  await expect(deployedVersionAt(...args)).rejects.toThrow(problem);
});
