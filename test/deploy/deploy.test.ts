import './localhost-names.ts';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AthenaClient, ListQueryExecutionsCommand } from '@aws-sdk/client-athena';
import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { afterAll, beforeAll, expect, onTestFailed, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { DAY_MS } from '../../shared/units/durations.ts';
import { runStatement } from '../clickhouse/clickhouse-database.ts';
import { startClickHouse } from '../clickhouse/server.ts';
import { eventually, type Folder, temporaryFolder } from '../fixtures/deltawatch.ts';
import { type LoopbackServer, listen } from '../fixtures/loopback-server.ts';
import { ACCOUNT, type Emulator, REGION, startEmulator } from './emulator.ts';
import { answersOf } from './questions.ts';
import { resources } from './resources.ts';
import {
  CADENCE,
  configWith,
  DATA_ACCESS,
  events,
  LAST_RUN_AT,
  ROUTES,
  RUN_BEFORE_AT,
  rulesOn,
} from './shop.ts';
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

const STAGE = ['--stage', 'staging'];
const CDK_APP = ['--app', `${process.execPath} ${join(import.meta.dirname, 'cdk-app.ts')}`];

let emulator: Emulator;
let folder: Folder;
let repository: Repository;
let slack: LoopbackServer;
/** The API key of the stage. */
let key: string;
/** The bodies of the messages that Slack got, in order. */
const messages: string[] = [];
/** The same of the stage over ClickHouse. */
const ofClickHouse: string[] = [];

beforeAll(async () => {
  emulator = await startEmulator();
  stubEnvironment(emulator.environment);
  slack = await listen((request, body, response) => {
    if (request.url === '/services/staging') messages.push(body);
    if (request.url === '/services/clickhouse') ofClickHouse.push(body);
    response.end('ok');
  });
  folder = await temporaryFolder();
  repository = repositoryIn(folder.path);
  await mkdir(join(folder.path, 'rules'));
  await repository.write('deltawatch.config.ts', configWith());
  await repository.write('rules/routes.yaml', ROUTES);
  await repository.write('rules/shop.yaml', rulesOn('search'));
  await repository.write('events.ndjson', events());
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await slack?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
  await emulator?.[Symbol.asyncDispose]();
});

const deltawatch = (...args: string[]) => succeed(repository.deltawatch(...args));

const alertSchema = z.object({
  rule: z.string(),
  state: z.string(),
  current: z.number().nullable(),
  taken: z.object({ by: z.string() }).nullable(),
});

/** The open alerts, by rule. */
async function openAlerts() {
  const alerts = z.array(alertSchema).parse(JSON.parse(await deltawatch('alerts', ...STAGE, '--json')));
  return new Map(alerts.map((alert) => [alert.rule, alert]));
}

/** The first sentence of each message, in order. */
const sentences = () =>
  messages.map((body) => z.object({ text: z.string() }).parse(JSON.parse(body)).text.split('. ')[0]);

/** The body of the message that begins with this sentence. */
function messageThat(begins: string): Promise<string> {
  return eventually(`"${begins}"`, () => messages[sentences().indexOf(begins)], 120_000);
}

/** The first URL of a message that matches. */
function linkIn(message: string, pattern: RegExp): string {
  return z.string().parse(pattern.exec(message)?.[1]);
}

/** How many queries the stage has sent to Athena. */
async function queriesOfAthena(): Promise<number> {
  const queries = new ListQueryExecutionsCommand({ WorkGroup: 'deltawatch-staging' });
  return (await new AthenaClient().send(queries)).QueryExecutionIds?.length ?? 0;
}

function logOnFailure(): void {
  onTestFailed(async () => console.error((await emulator.log()).slice(-10_000)));
}

test('a deployment refuses an account that is not bootstrapped, and missing secrets', async () => {
  const unprepared = await repository.deltawatch('deploy', 'staging', '--yes');
  expect(unprepared.stderr.replaceAll(/\s+/g, ' ')).toContain(
    `an administrator must run "npx cdk bootstrap aws://${ACCOUNT}/${REGION}" once`,
  );
  await succeed(repository.cdk('bootstrap', `aws://${ACCOUNT}/${REGION}`));
  const { stderr } = await repository.deltawatch('deploy', 'staging', '--yes');
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    'the secret "deltawatch/staging/slack-webhook" is missing',
  );
  expect(await findStack('state')).toBeUndefined();
});

test('a first deployment prints the address of the page, and test-notification sends a test message', async () => {
  logOnFailure();
  await storeSecret('deltawatch/staging/slack-webhook', `${slack.url}/services/staging`);
  expect(await deltawatch('deploy', 'staging', '--yes')).toContain(
    `\nDeployed staging. The page: ${await outputOf('respond', 'Url')}\n`,
  );
  const sending = repository.start('test-notification', ...STAGE);
  await eventually('the wait', () => sending.printed().includes('Waiting for team') || undefined);
  // A minute earlier than by itself.
  await eventually('the test message', async () => {
    await runSchedule('every-minute', Date.now());
    return messages[0];
  });
  expect(await succeed(sending.ended)).toMatch(/team: sent\n$/);
  expect(messages).toHaveLength(1);
});

test('a run before the key exists notifies nobody, and status says that the key is missing', async () => {
  logOnFailure();
  await runSchedule(CADENCE, RUN_BEFORE_AT - DAY_MS);
  await eventually('the reason', async () => {
    const status = (await deltawatch('status', ...STAGE)).replaceAll(/\s+/g, ' ');
    return status.includes('no secret "deltawatch/staging/api-key"') || undefined;
  });
  await runSchedule('every-minute', Date.now());
  expect(messages).toHaveLength(1);
});

test('published data with an anomaly gives one message with figures, a picture and answers', async () => {
  logOnFailure();
  const table = await outputOf('data', 'TableName');
  const from = ['--app', 'shop', '--data', 'data'];
  await deltawatch('data', 'import', 'events.ndjson', ...from);
  await deltawatch('data', 'publish', ...from, '--to', await outputOf('data', 'DataPlace'), '--table', table);
  key = (await deltawatch('keys', 'create', '--app', 'shop', '--table', table)).trim();
  await storeSecret('deltawatch/staging/api-key', key);

  await runSchedule(CADENCE, RUN_BEFORE_AT);
  const message = await messageThat('Warning: Events search up 400%');
  expect(message).toMatch(/\*Now:\* 2,400 events .*\*Before:\* 480 events/);

  const picture = await fetch(linkIn(message, /"image_url":"([^"]+)"/));
  expect(Buffer.from(await picture.arrayBuffer()).toString('latin1')).toMatch(/^\x89PNG\r\n/);

  const link = linkIn(message, /<([^|>]+)\|Acknowledge>/);
  expect(await (await fetch(link)).text()).toContain('<form');
  expect((await openAlerts()).get('search')).toMatchObject({ state: 'firing', current: 2400, taken: null });
  const answer = await fetch(link, { method: 'POST', body: new URLSearchParams({ by: 'Ada' }) });
  expect(answer.status).toBe(200);
  expect((await openAlerts()).get('search')?.taken).toMatchObject({ by: 'Ada' });
  await runSchedule('every-minute', Date.now());
  await messageThat('Ada acknowledged: Events search up 400%');
});

test('a deployment that fails is rolled back', async () => {
  logOnFailure();
  await repository.write('rules/shop.yaml', rulesOn('search', 'order'));
  await deltawatch('apply', ...STAGE, '--yes');
  await repository.write('rules/shop.yaml', rulesOn('search', 'order', 'visit'));
  const never = ['--all', '--require-approval', 'never'];
  const failed = await repository.cdk('deploy', ...CDK_APP, '-c', 'fails=true', ...never);
  expect(failed.code).toBe(1);
  expect(await findStack('alerting')).toMatchObject({ status: 'UPDATE_ROLLBACK_COMPLETE' });
  expect([...(await openAlerts()).keys()]).toEqual(['search']);
});

test('rules that were applied survive a deployment that fails', async () => {
  await repository.write('rules/shop.yaml', rulesOn('search', 'order'));
  await deltawatch('plan', ...STAGE, '--exit-code');
});

test('a deployment during a run, to Athena, loses nothing and repeats no message', async () => {
  logOnFailure();
  const address = await outputOf('data-access', 'Url');
  const ofDuckDb = await answersOf(address, key);
  expect(ofDuckDb.filter(({ error }) => error !== undefined)).toEqual([]);
  await repository.write('rules/shop.yaml', rulesOn('search', 'order'));
  await deltawatch('apply', ...STAGE, '--yes');
  await repository.write(
    'deltawatch.config.ts',
    configWith({ calls: { perHour: 300 }, dataAccess: { ...DATA_ACCESS, engine: 'athena' } }),
  );
  const deployment = repository.start('deploy', 'staging', '--yes');
  const isUpdating = () => deployment.printed().includes('(deltawatch-staging-alerting): deploying');
  await eventually('the update', () => isUpdating() || undefined);
  const planned = runSchedule(CADENCE, LAST_RUN_AT);
  expect(await Promise.race([planned.then(() => 'planned'), deployment.ended])).toBe('planned');
  await succeed(deployment.ended);
  await messageThat('Warning: Events order up 400%');
  expect(await queriesOfAthena()).toBeGreaterThan(0);
  const statusSchema = z.object({ cadences: z.array(z.object({ state: z.string() })) });
  await eventually('the end of the run', async () => {
    const status = JSON.parse(await deltawatch('status', ...STAGE, '--json'));
    return statusSchema.parse(status).cadences.every(({ state }) => state === 'on time') || undefined;
  });
  await runSchedule('every-minute', Date.now());
  expect(sentences()).toEqual([
    'Test notification: nothing is wrong',
    'Warning: Events search up 400%',
    'Ada acknowledged: Events search up 400%',
    'Warning: Events order up 400%',
  ]);
  expect(await answersOf(address, key)).toEqual(ofDuckDb);
});

test('doctor finds nothing wrong', async () => {
  const printed = await deltawatch('doctor', 'staging');
  expect(printed).toMatch(/^STATE .*\n(ok .*\n(?: +.*\n)*){6}\nstaging works\.\n$/);
});

test('a stage over tables stands beside it, says what it cannot read, and goes alone', async () => {
  logOnFailure();
  const columns = { event_name: 'event_name', user_id: 'user_id', recorded_at: 'recorded_at' };
  const tables = {
    ...{ engine: 'athena', database: 'deltawatch_staging', region: REGION },
    locations: [`${await outputOf('data', 'DataPlace')}/`],
    apps: { shop: { events: { table: 'events', columns } } },
  };
  const settings = {
    operators: 'oncall@example.com',
    keepState: false,
    dataAccess: { kind: 'tables', tables },
  };
  await repository.write('deltawatch.config.ts', configWith({}, { tables: settings }));
  await storeSecret('deltawatch/tables/slack-webhook', `${slack.url}/services/tables`);
  await deltawatch('deploy', 'tables', '--yes');
  await runSchedule(CADENCE, RUN_BEFORE_AT, 'tables');
  // The emulator has no results that Athena itself keeps. The tests with Trino read figures from tables.
  await eventually('the reason', async () => {
    const { stdout } = await repository.deltawatch('status', '--stage', 'tables');
    return stdout.replaceAll(/\s+/g, ' ').includes('the data access service failed') || undefined;
  });
  await deltawatch('destroy', 'tables', '--yes', 'tables');
  expect(await findStack('state', 'tables')).toBeUndefined();
  expect(await findStack('state')).toBeDefined();
});

// `.ci/deploy.sh` sets it.
const hasClickHouse = process.env.CLICKHOUSE_PYTHON !== undefined;

test.runIf(hasClickHouse)('a stage over ClickHouse in a VPC notifies of its figures', async () => {
  logOnFailure();
  const clickhouse = await startClickHouse();
  onTestFinished(clickhouse.stop);
  await runStatement(
    clickhouse.url,
    'create table events (event_name String, user_id String, recorded_at DateTime64(3)) engine = MergeTree order by recorded_at',
  );
  await runStatement(
    clickhouse.url,
    `insert into events settings date_time_input_format = 'best_effort' format JSONEachRow\n${events()}`,
  );
  const columns = { event_name: 'event_name', user_id: 'user_id', recorded_at: 'recorded_at' };
  const tables = {
    ...{ engine: 'clickhouse', urlSecret: 'deltawatch/clickhouse/url' },
    apps: { shop: { events: { table: 'events', columns } } },
  };
  const vpc = { subnets: ['subnet-0a1b2c3d'], securityGroups: ['sg-0a1b2c3d'] };
  const settings = { operators: 'oncall@example.com', keepState: false };
  const stage = { ...settings, dataAccess: { kind: 'tables', tables, vpc } };
  await repository.write('deltawatch.config.ts', configWith({}, { clickhouse: stage }));
  await storeSecret('deltawatch/clickhouse/slack-webhook', `${slack.url}/services/clickhouse`);
  const { stderr } = await repository.deltawatch('deploy', 'clickhouse', '--yes');
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('the secret "deltawatch/clickhouse/url" is missing');

  await storeSecret('deltawatch/clickhouse/url', clickhouse.url);
  await deltawatch('deploy', 'clickhouse', '--yes');
  // The emulator has no networks. It keeps the template, and the function reaches loopback.
  const template = new GetTemplateCommand({ StackName: 'deltawatch-clickhouse-tables' });
  const { TemplateBody = '' } = await new CloudFormationClient().send(template);
  expect(TemplateBody.replaceAll(/\s/g, '')).toContain(
    '"VpcConfig":{"SecurityGroupIds":["sg-0a1b2c3d"],"SubnetIds":["subnet-0a1b2c3d"]}',
  );
  await runSchedule(CADENCE, RUN_BEFORE_AT, 'clickhouse');
  await eventually('the message', () => ofClickHouse[0], 120_000);
  expect(ofClickHouse).toEqual([expect.stringContaining('Warning: Events search up 400%')]);
  expect(ofClickHouse[0]).toMatch(/\*Now:\* 2,400 events .*\*Before:\* 480 events/);
  await deltawatch('destroy', 'clickhouse', '--yes', 'clickhouse');
});

test('destroy takes the stage down completely', async () => {
  logOnFailure();
  const place = await outputOf('data', 'DataPlace');
  const printed = await deltawatch('destroy', 'staging', '--yes', 'staging');
  expect(printed).toContain(`the bucket ${new URL(place).hostname}, with all its data`);
  expect(await resources()).toEqual([`cdk-hnb659fds-assets-${ACCOUNT}-${REGION}`]);
});
