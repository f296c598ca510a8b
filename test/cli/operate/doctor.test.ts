import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { doctorCommand } from '../../../cli/operate/doctor.ts';
import { readRules } from '../../../cli/options/read-rules.ts';
import { terminalLogger } from '../../../local/terminal.ts';
import { loadProject, type Project } from '../../../shared/config/load-config.ts';
import type { RuleSet } from '../../../shared/deployments/rule-store.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { storesIn } from '../../../shared/store/stores.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import {
  type AccountState,
  type FakeAccount,
  startAccount,
  variablesOf,
} from '../../fixtures/aws-account.ts';
import { BAKERY_RULES } from '../../fixtures/bakery.ts';
import { MONDAY } from '../../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';
import { type EmulatedTable, openEmulatedTable } from '../../fixtures/dynamodb.ts';
import { portOf } from '../../fixtures/port-of-socket.ts';
import { type Resource, synthesize } from '../../infra/synthesis.ts';

const CONFIG = `export default {
  stages: {
    live: {
      account: '111122223333',
      operators: 'platform@bakery.example',
      dataAccess: { kind: 'external', url: 'https://figures.bakery.example' },
      respond: { slackSigningSecret: 'bakery/slack-app' },
    },
  },
};`;
const ROUTES = `channels:
  bakers:
    slack: { webhook_secret: bakery/slack, interactive: true }
default: [bakers]`;

const STACKS = ['state', 'respond', 'alerting'] as const;
const checksSchema = z.object({
  checks: z.array(
    z.object({ name: z.string(), state: z.string(), found: z.string(), advice: z.string().nullable() }),
  ),
});

let folder: Folder;
let project: Project;
let rules: RuleSet;
/** The resources of the stacks, as a deployment makes them. */
let resources: Map<string, Resource[]>;
beforeAll(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder.path, 'rules'));
  await writeFile(join(folder.path, 'rules', 'routes.yaml'), ROUTES);
  await writeFile(join(folder.path, 'rules', 'loaves.yaml'), BAKERY_RULES);
  await writeFile(join(folder.path, 'deltawatch.config.ts'), CONFIG);
  rules = await readRules(join(folder.path, 'rules'));
  project = await loadProject(folder.path);
  const [made] = synthesize(rules, project.config.stages);
  resources = new Map(
    STACKS.map((part) => {
      const all = z.record(z.string(), z.custom<Resource>()).parse(made?.stacks[part].toJSON().Resources);
      return [part, Object.entries(all).map(([id, resource]) => ({ ...resource, id }))];
    }),
  );
});
afterAll(() => folder[Symbol.asyncDispose]());

let account: FakeAccount;
let table: EmulatedTable;
let dynamodb: Awaited<ReturnType<typeof portOf>>;
let clock: ManualClock;
let printed: string[];
beforeEach(async () => {
  clock = new ManualClock(MONDAY);
  account = await startAccount();
  table = await openEmulatedTable(clock);
  dynamodb = await portOf(table.socketPath);
  for (const [name, value] of Object.entries(variablesOf(account))) vi.stubEnv(name, value);
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
  await storesIn(table, terminalLogger).rules.save(rules, { by: 'ada', at: MONDAY, replacing: null });
  deployTo(account);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
  await account[Symbol.asyncDispose]();
  await dynamodb[Symbol.asyncDispose]();
  await table.close();
});

/** A stage in which everything works. */
function deployTo({ state, url }: FakeAccount): void {
  state.dynamodb = dynamodb.url;
  const outputs = { state: { TableName: 'deltawatch' }, respond: { Url: url }, alerting: {} };
  for (const part of STACKS) {
    const parts = (resources.get(part) ?? []).map(({ id, Type }): [string, string, string] => [
      ...([id, Type] as const),
      `physical-${id}`,
    ]);
    state.stacks.set(`deltawatch-live-${part}`, { status: 'UPDATE_COMPLETE', outputs: outputs[part], parts });
  }
  for (const name of ['api-key', 'signing-keys', 'session-keys'])
    state.secrets.set(`deltawatch/live/${name}`, 'x');
  for (const name of ['bakery/slack', 'bakery/slack-app']) state.secrets.set(name, 'x');
  state.subscriptions.set('platform@bakery.example', 'arn:aws:sns:eu-north-1:111122223333:topic:1');
}

function ofType(type: string): Resource[] {
  return [...resources.values()].flat().filter(({ Type }) => Type === type);
}

async function doctor(...args: string[]): Promise<string> {
  const command = doctorCommand(clock).exitOverride();
  command.setOptionValueWithSource('project', project, 'config');
  command.setOptionValueWithSource('rules', join(folder.path, 'rules'), 'default');
  await command.parseAsync(['live', ...args], { from: 'user' });
  return printed.at(-1) ?? '';
}

const checks = async () => checksSchema.parse(JSON.parse(await doctor('--json'))).checks;

test('a stage that works passes every check, in 80 columns', async () => {
  const text = await doctor();
  expect(text).not.toMatch(/^failed/m);
  expect(text).toMatch(/^ok +mailbox +platform@bakery\.example: 1 subscription confirmed$/m);
  expect(text).toMatch(/^live works\.$/m);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect(process.exitCode).toBeUndefined();
  expect(account.calls).not.toContain('GetSecretValue');
});

/** Each breaks one thing. `text` is in the finding or its advice. */
const FAULTS: [string, (state: AccountState) => void, check: string, text: RegExp][] = [
  [
    'a stack whose update was rolled back',
    ({ stacks }) =>
      stacks.set('deltawatch-live-alerting', {
        ...stacks.get('deltawatch-live-alerting'),
        status: 'UPDATE_ROLLBACK_COMPLETE',
      }),
    'stacks',
    /alerting: UPDATE_ROLLBACK_COMPLETE.*deploy again: npx deltawatch deploy live/s,
  ],
  [
    'a missing secret',
    ({ secrets }) => secrets.delete('bakery/slack'),
    'secrets',
    /bakery\/slack is missing \(the Slack webhook URL of the channel bakers\)/,
  ],
  [
    'a deleted secret',
    ({ secrets }) => secrets.set('deltawatch/live/api-key', null),
    'secrets',
    /api-key is scheduled for deletion/,
  ],
  [
    'secrets that nobody may see',
    ({ refused }) => refused.set('DescribeSecret', 'AccessDeniedException'),
    'secrets',
    /not checked: Secrets Manager refused: AccessDenied/,
  ],
  [
    'a firing alarm',
    ({ firing }) => firing.set(`physical-${ofType('AWS::CloudWatch::Alarm')[0]?.id}`, 'The function fails.'),
    'alarms',
    /: The function fails\./,
  ],
  [
    'a pending subscription',
    ({ subscriptions }) => subscriptions.set('platform@bakery.example', 'PendingConfirmation'),
    'mailbox',
    /1 of 1 subscription not confirmed.*Subscription Confirmation/s,
  ],
  [
    'no subscription',
    ({ subscriptions }) => subscriptions.clear(),
    'mailbox',
    /1 topic without a subscription/,
  ],
  [
    'a page with errors',
    (state) => {
      state.pageStatus = 500;
    },
    'page',
    /healthz answers 500/,
  ],
];

test.each(FAULTS)('%s fails its check alone', async (_, breakIt, check, text) => {
  breakIt(account.state);
  const failures = (await checks()).filter(({ state }) => state !== 'ok');
  expect(failures.map(({ name }) => name)).toEqual([check]);
  expect(`${failures[0]?.found} ${failures[0]?.advice}`).toMatch(text);
  expect(process.exitCode).toBe(1);
});

test('a fault of the status is counted, and says where its reasons are', async () => {
  const status = async () => (await checks()).find(({ name }) => name === 'status');
  clock.advanceTo(MONDAY + HOUR_MS / 2);
  expect(await status()).toMatchObject({ state: 'ok', found: '1 rule, all schedules on time' });
  clock.advanceTo(MONDAY + 3 * HOUR_MS);
  expect(await status()).toMatchObject({
    ...{ state: 'failed', found: '1 schedule late' },
    advice: 'The reasons: npx deltawatch status --stage live',
  });
  account.state.refused.set('Query', 'AccessDeniedException');
  expect(await status()).toMatchObject({ state: 'failed', found: expect.stringContaining('not checked') });
});

test('a stage that is not deployed says so', async () => {
  for (const part of STACKS) account.state.stacks.delete(`deltawatch-live-${part}`);
  const text = await doctor();
  expect(text).toContain('Deploy it: npx deltawatch deploy live');
  expect(text.replaceAll(/\s+/g, ' ')).toContain('there is no stack "deltawatch-live-state"');
  expect(process.exitCode).toBe(1);
});
