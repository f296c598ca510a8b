import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { measureBundle } from '../../../bench/bundles.ts';
import { bundleFunctions, bundleHandler } from '../../../infra/bundles.ts';
import { FUNCTIONS, type FunctionName } from '../../../infra/function-bundles.ts';
import { publishApp } from '../../../local/data/publish/publish.ts';
import { s3Lake } from '../../../local/data/publish/s3-lake.ts';
import { KEY_BYTES, mintKey } from '../../../shared/access/api-key.ts';
import { appSettingsSchema } from '../../../shared/access/app-settings.ts';
import { signedLinks } from '../../../shared/access/signed-links.ts';
import { systemClock } from '../../../shared/runtime/clock.ts';
import { alertStoreIn } from '../../../shared/store/alert-store.ts';
import { apiKeysIn } from '../../../shared/store/api-keys.ts';
import { appSettingsIn } from '../../../shared/store/app-settings.ts';
import { deploymentStoreIn } from '../../../shared/store/deployment-store.ts';
import { ruleStoreIn } from '../../../shared/store/rule-store.ts';
import { runStoreIn } from '../../../shared/store/run-store.ts';
import { silenceStoreIn } from '../../../shared/store/silence-store.ts';
import { cadenceName } from '../../../shared/time/cadence.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { startS3Server } from '../../contracts/s3-server.ts';
import { ROUTES, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { STAGES } from '../../fixtures/stages.ts';
import { event, sample, session } from '../../functions/data-access/sample-app.ts';
import { firing } from '../../functions/respond/desk.ts';
import { signed } from '../../functions/respond/slack-signature.ts';
import {
  type LoopbackCloud,
  SESSION_KEY,
  SIGNING_KEY,
  startLoopbackCloud,
} from '../../infra/loopback-cloud.ts';
import { type Synthesized, statementsOf, synthesize } from '../../infra/synthesis.ts';
import { mayWrite } from '../../infra/table-writes.ts';

const rule = ruleNamed('orders');
const slack = { slack: { webhook_secret: 'deltawatch/$STAGE/slack' } };
const ruleSet = { ...ruleSetOf(rule), routes: { ...ROUTES, channels: { team: slack } } };
const [first] = STAGES;
if (first?.dataAccess.kind !== 'own')
  throw new Error('the first stage has no data access service of its own');
const [staging, onAthena] = synthesize(ruleSet, [
  first,
  { ...first, name: 'large', dataAccess: { ...first.dataAccess, engine: 'athena' } },
]);
if (!staging || !onAthena) throw new Error('a stage is missing');

let bundles: string;
beforeAll(async () => {
  bundles = await mkdtemp(join(tmpdir(), 'functions-'));
  await bundleFunctions(bundles);
  await writeFile(join(bundles, 'sync-rules', 'rule-set.json'), JSON.stringify(ruleSet));
});
afterAll(() => rm(bundles, { recursive: true }));

/** Stands in for the layer: has the native library of DuckDB for this machine. */
const HOST_PACKAGES = join(process.cwd(), 'node_modules');

/**
 * In bytes. Some include the holidays of all countries, 1.6 million bytes; respond also draws pictures, and notify loads
 * 300,000 bytes late to send mail.
 */
const LIMITS: Partial<Record<FunctionName, number>> = {
  'plan-checks': 2_700_000,
  'check-rules': 2_700_000,
  'sync-rules': 2_700_000,
  notify: 3_000_000,
  respond: 3_400_000,
  // All engines; a process loads one of them.
  'data-access': 1_600_000,
};
const limitOf = (name: FunctionName) => LIMITS[name] ?? 1_000_000;

// There are no packages in this folder, so a bundle that loads is complete.
test.each(FUNCTIONS)('%s loads in a new process and is below its size limit', async (name) => {
  const { bytes } = await measureBundle(join(bundles, name), variablesOf(name, 'https://example.com'), 1);
  expect(bytes).toBeLessThan(limitOf(name));
});

test('a bundle finds public holidays, which are in a file of their own', async () => {
  const entry = join(bundles, 'holidays.ts');
  const calendar = join(process.cwd(), 'shared/time/holiday-calendar.ts');
  await writeFile(
    entry,
    `import { holidayFault } from '${calendar}';
    export const handler = () => holidayFault({ country: 'DE', region: 'XX', days: [] });`,
  );
  await bundleHandler(entry, join(bundles, 'holidays'));
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--input-type=module', '--eval'],
    `import { handler } from '${join(bundles, 'holidays', 'index.mjs')}'; console.log(handler().message);`,
  ]);
  expect(stdout).toContain('unknown region "XX"; accepted: BB, BE');
});

test('a deployed rule notifies Slack within the rights of each role', async () => {
  await using cloud = await startLoopbackCloud();
  const tick = { cadence: cadenceName(rule.cadence), scheduledAt: '2024-03-04T01:00:00Z' };

  await invoke('sync-rules', {}, cloud);
  const deployment = await deploymentStoreIn(cloud.table).load();
  expect(deployment).toMatchObject({ cadences: [tick.cadence], secrets: ['deltawatch/$STAGE/slack'] });
  // A failure of an app that was never read notifies nobody.
  await runStoreIn(cloud.table).saveNewestEventAt(rule.app, Date.parse('2024-03-03T12:00:00Z'));
  await invoke('plan-checks', tick, cloud);
  const [batch] = cloud.messages.get('/BATCHES_URL') ?? [];
  await invoke('check-rules', deliveryOf(batch), cloud);
  await invoke('notify', {}, cloud);

  expect(cloud.messages.get('/WAKE_UPS_URL')).toHaveLength(1);
  expect(cloud.slack).toEqual([expect.stringContaining('The rule orders')]);
  expect(cloud.secrets).toContain('deltawatch/staging/slack');
});

/** The event of Lambda for a message of a queue. */
function deliveryOf(body: string | undefined, count = 1) {
  return {
    Records: [{ body, receiptHandle: 'handle', attributes: { ApproximateReceiveCount: String(count) } }],
  };
}

test('a failed batch is retried soon, within the rights of its role', async () => {
  await using cloud = await startLoopbackCloud();
  // No rules are deployed, so the batch fails.
  const batch = JSON.stringify({ id: 'one', tick: 'a@b', scheduledAt: 0, app: 'demo', checks: [] });
  await expect(invoke('check-rules', deliveryOf(batch, 2), cloud)).rejects.toThrow('no rules are deployed');
  expect(cloud.hidden).toEqual([
    { QueueUrl: `${cloud.url}/BATCHES_URL`, ReceiptHandle: 'handle', VisibilityTimeout: 60 },
  ]);
  expect(allowedTo('check-rules')).toEqual(expect.arrayContaining([...cloud.actions]));
});

describe('respond', () => {
  let cloud: LoopbackCloud;
  const signer = signedLinks(async () => SIGNING_KEY, systemClock);
  const sessions = signedLinks(async () => SESSION_KEY, systemClock);
  beforeAll(async () => {
    cloud = await startLoopbackCloud();
    await ruleStoreIn(cloud.table).save(ruleSet);
    await alertStoreIn(cloud.table).save(firing(rule));
  });
  afterAll(() => cloud[Symbol.asyncDispose]());
  const ask = async (request: WebRequest, variables?: Record<string, string>) =>
    webReplySchema.parse(await invoke('respond', webEvent(request), cloud, variables && { variables }));

  test('shows its page only after a sign-in', async () => {
    expect(await ask({ path: '/rules' })).toMatchObject({ statusCode: 401 });
    const token = await sessions.sign('sign-in', { by: 'anna', to: '/rules' }, 'one');
    const entered = await ask({ path: `/sign-in/${token}`, form: '' });
    expect(entered).toMatchObject({ statusCode: 303, headers: { location: '/rules' } });
    const [cookie = ''] = entered.cookies;
    for (const guard of ['__Host-session=', 'HttpOnly', 'Secure', 'SameSite=Lax'])
      expect(cookie).toContain(guard);
    const shown = await ask({ path: '/rules', cookies: cookie.split(';', 1) });
    expect(shown).toMatchObject({ statusCode: 200, body: expect.stringContaining('The rule orders') });
  });

  test('accepts an answer link without a sign-in', async () => {
    const [alert] = await alertStoreIn(cloud.table).loadOfRule(rule.id);
    const firedWindowEndAt = alert?.fired?.windowEndAt ?? 0;
    const claims = { answer: 'acknowledge', ruleId: rule.id, segment: null, firedWindowEndAt } as const;
    const token = await signer.sign('answer', claims, 'two');
    expect(await ask({ path: `/a/${token}`, form: 'by=Anna' })).toMatchObject({ statusCode: 200 });
    const [after] = await alertStoreIn(cloud.table).loadOfRule(rule.id);
    expect(after?.acknowledged).toMatchObject({ by: 'Anna' });
  });

  test('accepts a command that Slack signed', async () => {
    const form = new URLSearchParams({
      text: 'silence orders 4',
      user_id: 'U1',
      trigger_id: '1.2',
    }).toString();
    const secret = { SLACK_SIGNING_SECRET: 'deltawatch/staging/slack-app' };
    const command = (headers: Record<string, string>) =>
      ask({ path: '/slack/commands', form, headers }, secret);
    const forged = signed(form, { at: Date.now(), secret: 'other' });
    expect(await command(forged)).toMatchObject({ statusCode: 401 });
    const { statusCode, body } = await command(
      signed(form, { at: Date.now(), secret: `${cloud.url}/slack` }),
    );
    expect([statusCode, body]).toEqual([200, expect.stringContaining('The rule orders sends no messages')]);
    const [silence] = await silenceStoreIn(cloud.table).loadAll();
    expect(silence).toMatchObject({ match: { rule: 'orders' }, by: 'U1' });
  });
});

interface WebRequest {
  path: string;
  /** The body of a POST; without it the request is a GET. */
  form?: string;
  cookies?: string[];
  headers?: Record<string, string>;
  authorizer?: unknown;
}

function webEvent({ path, form, cookies, headers, authorizer }: WebRequest) {
  return {
    version: '2.0',
    rawPath: path,
    rawQueryString: '',
    cookies,
    headers: {
      host: 'example.com',
      origin: 'https://example.com',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    requestContext: {
      domainName: 'example.com',
      http: { method: form === undefined ? 'GET' : 'POST' },
      authorizer,
    },
    body: form,
    isBase64Encoded: false,
  };
}

const webReplySchema = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  cookies: z.array(z.string()).default([]),
  body: z.string().nullish(),
});

/** A cloud with the app "shop", and a key for it. */
async function cloudWithShop() {
  const cloud = await startLoopbackCloud();
  const { text, key } = mintKey(new Uint8Array(KEY_BYTES), { apps: ['shop'] });
  await apiKeysIn(cloud.table).create(key);
  await appSettingsIn(cloud.table).save(appSettingsSchema.parse({ id: 'shop', name: 'Shop' }));
  return { cloud, key: text };
}

test('the data access service answers from published files for a valid key, within its rights', async () => {
  const { cloud, key } = await cloudWithShop();
  await using _ = cloud;
  await using s3 = await startS3Server();
  const client = new S3Client({
    endpoint: s3.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  });
  const at = { recorded_at: new Date(Date.now() - DAY_MS).toISOString() };
  const visits = [session(at), session(at)];
  const shop = await sample({ sessions: visits, events: visits.map((of) => event(of)) });
  const place = { bucket: 'lake', prefix: 'tables' };
  await publishApp({ dir: shop.directory, app: 'shop', lake: s3Lake(client, place) });
  await shop.close();

  const published = s3.requests.length;
  const variables = { LAKE: 's3://lake/tables', AWS_ENDPOINT_URL_S3: s3.url, NODE_PATH: HOST_PACKAGES };
  const answer = replySchema.parse(await invoke('data-access', requestWith(key), cloud, { variables }));
  expect(JSON.parse(answer.body).data).toEqual([
    { event_count: 2, event_unique_user_count: 2, event_unique_session_count: 2 },
  ]);
  expect(new Set(s3.requests.slice(published).map((request) => request.split(' ')[0]))).toEqual(
    new Set(['LIST', 'GET']),
  );
  expect(s3.requests.slice(published).join()).not.toContain('sessions');
});

test('the data access service answers from Athena for a valid key, within its rights', async () => {
  const { cloud, key: text } = await cloudWithShop();
  await using _ = cloud;
  const ask = (key: string) => invoke('data-access', requestWith(key), cloud, { stage: onAthena });

  const answer = replySchema.parse(await ask(text));
  expect(answer).toMatchObject({ statusCode: 200, headers: { 'x-request-id': 'JKJaXmPLvHcESHA=' } });
  expect(JSON.parse(answer.body).data).toEqual([
    { event_count: 3, event_unique_user_count: 3, event_unique_session_count: 3 },
  ]);
  expect(cloud.statements).toEqual([expect.stringContaining("where app_id = 'shop'")]);

  const refused = replySchema.parse(await ask('dwk_wrong'));
  expect(refused.statusCode).toBe(401);
  expect(cloud.statements).toHaveLength(1);
});

const replySchema = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

/** The event of an HTTP API in payload format 2.0. */
function requestWith(apiKey: string) {
  const headers = {
    'content-type': 'application/json',
    'x-request-id': 'JKJaXmPLvHcESHA=',
    'x-api-key': apiKey,
  };
  return {
    version: '2.0',
    rawPath: '/api/data-access/v1/event/analytics',
    rawQueryString: '',
    headers,
    requestContext: { domainName: 'example.com', http: { method: 'POST' } },
    body: Buffer.from(JSON.stringify({ app_id: 'shop' })).toString('base64'),
    isBase64Encoded: true,
  };
}

/**
 * Calls the handler of a bundle in a new process, checks its AWS calls against the role, and returns its result.
 */
async function invoke(
  name: FunctionName,
  event: unknown,
  cloud: LoopbackCloud,
  { stage = staging, variables = {} }: { stage?: Synthesized; variables?: Record<string, string> } = {},
): Promise<unknown> {
  const call = `
    const { handler } = await import(process.argv[1]);
    const outcome = await handler(JSON.parse(process.argv[2]));
    console.log(JSON.stringify(outcome ?? null));`;
  const file = join(bundles, name, 'index.mjs');
  const environment = {
    ...variablesOf(name, cloud.url, stage),
    ...(name === 'respond' && { PUBLIC_URL: 'https://example.com' }),
    ...variables,
    TABLE_NAME: cloud.table.name,
    AWS_ENDPOINT_URL: cloud.url,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'none',
    AWS_SECRET_ACCESS_KEY: 'none',
  };
  cloud.actions.clear();
  cloud.writes.clear();
  const args = ['--input-type=module', '--eval', call, file, JSON.stringify(event)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment });
  expect(allowedTo(name, stage)).toEqual(expect.arrayContaining([...cloud.actions]));
  const statements = statementsOf(resourcesOf(name, stage));
  expect([...cloud.writes].filter((write) => !mayWrite(statements, write))).toEqual([]);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}

/** The variables of a function, with those of Lambda; values that only AWS knows become addresses under `url`. */
function variablesOf(name: FunctionName, url: string, stage = staging): Record<string, string> {
  const schema = z.object({ Variables: z.record(z.string(), z.unknown()) });
  const found = resourcesOf(name, stage).find(({ Type }) => Type === 'AWS::Lambda::Function');
  const { Variables } = schema.parse(found?.Properties.Environment);
  const own = Object.entries(Variables).map(([key, value]) => [
    key,
    typeof value === 'string' && !value.startsWith('https:') ? value : `${url}/${key}`,
  ]);
  return {
    ...Object.fromEntries(own),
    ...{ AWS_LAMBDA_FUNCTION_NAME: name, AWS_LAMBDA_FUNCTION_VERSION: '1' },
  };
}

function allowedTo(name: FunctionName, stage = staging): string[] {
  return statementsOf(resourcesOf(name, stage)).flatMap(({ Action }) => Action);
}

function resourcesOf(name: FunctionName, stage = staging) {
  return (stage?.resources ?? []).filter(({ id }) => id.startsWith(name.replace('-', '')));
}
