import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { measureBundle } from '../../bench/bundles.ts';
import { bundleFunctions, FUNCTIONS, type FunctionName } from '../../infra/bundles.ts';
import { cadenceName } from '../../shared/alerting/cadence.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { type LoopbackCloud, startLoopbackCloud } from './loopback-cloud.ts';
import { statementsOf, synthesize } from './synthesis.ts';

const rule = ruleNamed('orders');
const ruleSet = ruleSetOf(rule);
const [staging] = synthesize(ruleSet);

let bundles: string;
beforeAll(async () => {
  bundles = await mkdtemp(join(tmpdir(), 'functions-'));
  await bundleFunctions(bundles);
  await writeFile(join(bundles, 'sync-rules', 'rule-set.json'), JSON.stringify(ruleSet));
});
afterAll(() => rm(bundles, { recursive: true }));

// Node finds no package there, so a bundle that loads has all that it needs.
test.each(FUNCTIONS)('%s loads in a fresh Node, from under 1 MB', async (name) => {
  const { bytes } = await measureBundle(join(bundles, name), variablesOf(name, 'https://example.com'), 1);
  expect(bytes).toBeLessThan(1_000_000);
});

test('rules go from the deployment to Slack, with no right that a role does not give', async () => {
  await using cloud = await startLoopbackCloud();
  const tick = { cadence: cadenceName(rule.cadence), scheduledAt: '2024-03-04T01:00:00Z' };

  await invoke('sync-rules', {}, cloud);
  await invoke('plan-checks', tick, cloud);
  const [piece] = cloud.messages.get('/PIECES_URL') ?? [];
  await invoke('check-rules', { Records: [{ body: piece }] }, cloud);
  await invoke('announce', {}, cloud);

  expect(cloud.messages.get('/NUDGES_URL')).toHaveLength(1);
  expect(cloud.slack).toEqual([expect.stringContaining('The rule orders')]);
});

/** Calls the bundle's handler in a fresh process, and holds what it did against what its role allows. */
async function invoke(name: FunctionName, event: unknown, cloud: LoopbackCloud): Promise<void> {
  const call =
    'const { handler } = await import(process.argv[1]); await handler(JSON.parse(process.argv[2]));';
  const file = join(bundles, name, 'index.mjs');
  const environment = {
    ...variablesOf(name, cloud.url),
    TABLE_NAME: cloud.tableName,
    AWS_ENDPOINT_URL: cloud.url,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'none',
    AWS_SECRET_ACCESS_KEY: 'none',
  };
  cloud.actions.clear();
  const args = ['--input-type=module', '--eval', call, file, JSON.stringify(event)];
  await promisify(execFile)(process.execPath, args, { env: environment });
  expect(allowedTo(name)).toEqual(expect.arrayContaining([...cloud.actions]));
}

/** The variables of a function; those that only AWS knows are addresses under `url`. */
function variablesOf(name: FunctionName, url: string): Record<string, string> {
  const schema = z.object({ Variables: z.record(z.string(), z.unknown()) });
  const found = resourcesOf(name).find(({ Type }) => Type === 'AWS::Lambda::Function');
  const { Variables } = schema.parse(found?.Properties.Environment);
  return Object.fromEntries(
    Object.entries(Variables).map(([key, value]) => [
      key,
      typeof value === 'string' && !value.startsWith('https:') ? value : `${url}/${key}`,
    ]),
  );
}

function allowedTo(name: FunctionName): string[] {
  return statementsOf(resourcesOf(name)).flatMap(({ Action }) => Action);
}

function resourcesOf(name: FunctionName) {
  return (staging?.resources ?? []).filter(({ id }) => id.startsWith(name.replace('-', '')));
}
