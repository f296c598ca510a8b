import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { CfnSecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { Deltawatch, type DeltawatchProps, loadRules, type RuleSet } from '../../infra/cdk.ts';
import { FUNCTIONS } from '../../infra/function-bundles.ts';
import { routesSchema } from '../../shared/notifications/routes.ts';
import { type Folder, temporaryFolder } from '../fixtures/deltawatch.ts';
import { withoutHashes } from './synthesis.ts';

const ENV = { account: '111122223333', region: 'eu-north-1' };

let folder: Folder;
let rules: RuleSet;
let bundles: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  bundles = join(folder.path, 'node_modules', 'deltawatch', 'bundles');
  for (const name of FUNCTIONS) {
    mkdirSync(join(bundles, name), { recursive: true });
    writeFileSync(join(bundles, name, 'index.mjs'), `export const handler = () => '${name}';`);
  }
  const dir = join(folder.path, 'alert rules');
  mkdirSync(dir);
  writeFileSync(
    join(dir, 'routes.yaml'),
    'channels:\n  bakers:\n    slack: { webhook_secret: bakery/slack }\ndefault: [bakers]\n',
  );
  writeFileSync(
    join(dir, 'ovens.rules.ts'),
    `export const ovens: { id: string } = { id: 'loaves-baked' };
export default { rules: [{ ...ovens, title: 'Loaves baked', app: 'bakery', owner: 'bakers',
  every: 'day at 07:00', metric: 'event_count', fire: { current: { above: 1 } }, confidence: 0.5 }] };\n`,
  );
  rules = await loadRules(dir);
});
afterAll(() => folder[Symbol.asyncDispose]());

const versionSchema = z.object({ version: z.string() });

let apps = 0;
const newApp = () => new App({ outdir: join(folder.path, `cdk.out-${++apps}`), analyticsReporting: false });

const settings = (): DeltawatchProps => ({
  name: 'live',
  rules,
  bundles,
  dataAccess: { kind: 'external', url: 'https://figures.bakery.example' },
  operators: 'platform@bakery.example',
});

/** A stack of the team, with two stages of Deltawatch and uses of what they expose. */
class Platform extends Stack {
  readonly live: Deltawatch;
  readonly trial: Deltawatch;

  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, props);
    this.live = new Deltawatch(this, 'Alerts', settings());
    this.trial = new Deltawatch(this, 'Trial', { ...settings(), name: 'trial', region: 'eu-west-3' });
    new Topic(this, 'Own');
    this.live.alarmTopic.addSubscription(new EmailSubscription('second@bakery.example'));
    new CfnOutput(this, 'Page', { value: this.live.url });
    new CfnOutput(this, 'Errors', { value: this.live.functions.checkRules.functionName });
    new CfnOutput(this, 'Table', { value: this.live.table.tableArn });
  }
}

test("a stack of a team's own app adds stages to its account and region", () => {
  const app = newApp();
  const platform = new Platform(app, 'BakeryPlatform', { env: ENV, stackName: 'acme-platform' });
  const stacks = app.node.findAll().filter((each) => Stack.isStack(each));
  const placed = stacks.map(({ stackName, account, region }) => [stackName, account, region]);
  expect(placed.toSorted()).toEqual([
    ['acme-platform', ENV.account, ENV.region],
    ...['alerting', 'respond', 'state'].map((part) => [`deltawatch-live-${part}`, ENV.account, ENV.region]),
    ...['alerting', 'respond', 'state'].map((part) => [`deltawatch-trial-${part}`, ENV.account, 'eu-west-3']),
  ]);
  const { Outputs } = Template.fromStack(platform).toJSON();
  for (const { Value } of Object.values<{ Value: unknown }>(Outputs))
    expect(JSON.stringify(Value)).toContain('deltawatch-live-');
  Template.fromStack(platform.live.stacks.state).resourceCountIs('AWS::SNS::Subscription', 2);
  for (const stack of Object.values<Stack>({ ...platform.live.stacks }))
    expect(stack.tags.tagValues()).toEqual({ application: 'deltawatch', stage: 'live' });
});

test('a stage of an own app can read tables', () => {
  const columns = { event_name: 'sold', user_id: 'customer', recorded_at: 'at' };
  const { stacks, stage } = new Deltawatch(newApp(), 'Alerts', {
    ...settings(),
    dataAccess: {
      kind: 'tables',
      tables: {
        ...{ engine: 'athena', database: 'bakery', region: 'eu-west-1', locations: ['s3://bakery/'] },
        apps: { oven: { events: { table: 'loaves', columns } } },
      },
    },
  });
  expect([stacks.tables?.stackName, stacks.tables?.region]).toEqual(['deltawatch-live-tables', 'eu-west-1']);
  expect(stage.region).toBe('eu-west-1');
});

test('moving the construct within an app changes no resource', () => {
  const apart = new Deltawatch(newApp(), 'Alerts', { ...settings(), ...ENV });
  const within = new Deltawatch(new Stack(newApp(), 'BakeryPlatform', { env: ENV }), 'Alerts', settings());
  const [here, there] = [apart, within].map(({ stacks }) => withoutHashes(Template.fromStack(stacks.state)));
  expect(there).toEqual(here);
  const mappings = [apart, within].map(({ stacks }) =>
    Object.keys(Template.fromStack(stacks.alerting).findResources('AWS::Lambda::EventSourceMapping')),
  );
  expect(mappings[0]).toHaveLength(2);
  expect(mappings[1]).toEqual(mappings[0]);
});

/** The flags that `cdk init` of a version writes into `cdk.json`. */
function flagsOf(version: number): Record<string, unknown> {
  const lib = 'node_modules/aws-cdk-lib';
  const flags = z.record(z.string(), z.unknown());
  const all = flags.parse(JSON.parse(readFileSync(`${lib}/recommended-feature-flags.json`, 'utf8')));
  const documented = readFileSync(`${lib}/cx-api/FEATURE_FLAGS.md`, 'utf8').replaceAll('\\_', '_');
  const since = new Map(
    [...documented.matchAll(/^\| \[(\S+)\]\(.*\| 2\.(\d+)\.\d+ \|/gm)].map(([, flag, minor]) => [
      flag,
      Number(minor),
    ]),
  );
  return Object.fromEntries(Object.entries(all).filter(([flag]) => (since.get(flag) ?? 0) <= version));
}

test('the templates are the same in an app without flags, with those of today, and with those of CDK 2.150', () => {
  const library = join(folder.path, 'duckdb');
  mkdirSync(library);
  writeFileSync(join(library, 'package.json'), JSON.stringify({ name: '@duckdb/library' }));
  writeFileSync(join(library, 'duckdb.node'), 'native');
  const [none, ...others] = [{}, flagsOf(Number.POSITIVE_INFINITY), flagsOf(150)].map((context) => {
    const outdir = join(folder.path, `cdk.out-${++apps}`);
    const { stacks } = new Deltawatch(new App({ context, outdir, analyticsReporting: false }), 'Alerts', {
      ...{ ...settings(), ...ENV, duckDbLibrary: library },
      dataAccess: { kind: 'own', firstDay: '2026-01-01' },
    });
    return Object.values<Stack>({ ...stacks }).map((stack) => withoutHashes(Template.fromStack(stack)));
  });
  expect(none).toHaveLength(5);
  for (const other of others) expect(other).toEqual(none);
});

test('the rules of each stage are deployed with it, and the shipped bundles stay as they are', () => {
  const app = newApp();
  new Deltawatch(app, 'Alerts', settings());
  const routes = routesSchema.parse({ channels: rules.routes.channels, default: ['bakers'] });
  new Deltawatch(app, 'Trial', {
    ...settings(),
    name: 'trial',
    rules: { version: 'none', rules: [], routes },
  });
  const out = app.outdir;
  const versions = globSync('asset.*/rule-set.json', { cwd: out }).map(
    (file) => versionSchema.parse(JSON.parse(readFileSync(join(out, file), 'utf8'))).version,
  );
  expect(versions.toSorted()).toEqual([rules.version, 'none'].toSorted());
  expect(existsSync(join(bundles, 'sync-rules', 'rule-set.json'))).toBe(false);
});

test.each<[string, Record<string, unknown>, string]>([
  ['a wrong name', { name: 'Live!' }, 'name: use up to 20 lower-case letters'],
  ['operators without an address', { operators: 'platform' }, 'operators: must be an email address'],
  ['a region without a number', { region: 'eu-north' }, 'region: must be an AWS region'],
  ['an unknown prop', { operator: 'a@b.example' }, 'operator'],
  ['no data access', { dataAccess: undefined }, 'dataAccess'],
  ['a folder instead of its rules', { rules: 'rules' }, "rules: await loadRules('rules')"],
  ['rules without await', { rules: Promise.resolve(null) }, "rules: await loadRules('rules')"],
  ['no tables', { dataAccess: { kind: 'tables' } }, 'dataAccess: needs tables'],
])('%s is refused with its place', (_, wrong, problem) => {
  const props = { ...settings(), ...wrong } as DeltawatchProps;
  const built = () => new Deltawatch(newApp(), 'Alerts', props);
  expect(built).toThrow('the props of the Deltawatch construct "Alerts" are not valid');
  expect(built).toThrow(problem);
});

test('loadRules lists every problem of the folder', async () => {
  const dir = join(folder.path, 'broken');
  mkdirSync(dir);
  writeFileSync(join(dir, 'routes.yaml'), 'channels: {}\ndefault: [nobody]\n');
  writeFileSync(join(dir, 'ovens.yaml'), 'rules:\n  - id: Loaves!\n');
  await expect(loadRules(dir)).rejects.toThrow(
    /ovens\.yaml[\s\S]*routes\.yaml|routes\.yaml[\s\S]*ovens\.yaml/,
  );
});

test('a stage may join a network that its own app makes', () => {
  const app = newApp();
  const network = new Stack(app, 'Network', { env: ENV });
  const vpc = new Vpc(network, 'Vpc', { maxAzs: 1 });
  const [subnet] = vpc.privateSubnets;
  const group = new CfnSecurityGroup(network, 'Group', { vpcId: vpc.vpcId, groupDescription: 'rules' });
  const columns = { event_name: 'type', user_id: 'who', recorded_at: 'ts' };
  const tables = {
    engine: 'trino',
    urlSecret: 'url',
    apps: { bakery: { events: { table: 'log', columns } } },
  } as const;
  const { stacks } = new Deltawatch(app, 'Alerts', {
    ...{ ...settings(), ...ENV },
    dataAccess: {
      ...{ kind: 'tables', tables },
      vpc: { subnets: [subnet?.subnetId ?? ''], securityGroups: [group.attrGroupId] },
    },
  });
  if (!stacks.tables) throw new Error('a stack is missing');
  Template.fromStack(stacks.tables).hasResourceProperties('AWS::Lambda::Function', {
    VpcConfig: {
      SubnetIds: [{ 'Fn::ImportValue': Match.stringLikeRegexp('^Network:.*Subnet') }],
      SecurityGroupIds: [{ 'Fn::ImportValue': Match.stringLikeRegexp('^Network:.*Group') }],
    },
  });
});
