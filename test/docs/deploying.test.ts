import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { neededSecrets } from '../../cli/deploy/deploy-secrets.ts';
import { CHECKS } from '../../cli/operate/doctor.ts';
import type { Deltawatch } from '../../infra/cdk.ts';
import { FUNCTIONS } from '../../infra/function-bundles.ts';
import { loadProject } from '../../shared/config/load-config.ts';
import type { Stage } from '../../shared/config/stage.ts';
import { formatProblems } from '../../shared/rule-files/file-problems.ts';
import { buildRuleSet } from '../../shared/rule-files/yaml-rule-files.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../fixtures/deltawatch.ts';
import { STAGES } from '../fixtures/stages.ts';
import { resourcesOf, synthesize } from '../infra/synthesis.ts';
import { blocksIn, codeIn, documentAt, tableIn } from './documents.ts';

const page = documentAt('docs/how-to/deploying.md');
const [config, slackSetting, construct, company] = blocksIn('ts', [page]).map(({ text }) => text);
const slackSecret = /slackSigningSecret: '([^']+)'/.exec(slackSetting ?? '')?.[1] ?? '';
const [routes = '', rule = ''] = blocksIn('yaml', [page]).map(({ text }) => text);
const loaded = buildRuleSet(
  'rules',
  new Map([
    ['routes.yaml', routes],
    ['try-it.yaml', rule],
  ]),
);
if (loaded.kind === 'problems') throw new Error(formatProblems(loaded.problems));
const { ruleSet } = loaded;

let folder: Folder;
let staging: Stage;
beforeAll(async () => {
  folder = await temporaryFolder();
  const defined = JSON.stringify(pathToFileURL('shared/config/config.ts').href);
  const text = (config ?? '').replace("'deltawatch/config'", defined);
  await writeFile(join(folder.path, 'deltawatch.config.ts'), text);
  const [first] = (await loadProject(folder.path)).config.stages;
  if (first) staging = first;
});
afterAll(() => folder[Symbol.asyncDispose]());

test('deploying.md lists the secrets of its stage and the functions that read each', () => {
  const rows = tableIn(page, 'secret').slice(0, 4);
  const names = neededSecrets(staging, ruleSet.routes).map(({ name }) => name);
  expect(rows.map(([name = '']) => codeIn(name).join()).toSorted()).toEqual(names.toSorted());
  const respond = { ...staging.respond, slackSigningSecret: slackSecret };
  const [made] = synthesize(ruleSet, [{ ...staging, respond }]);
  const policies = (made?.resources ?? []).filter(({ Type }) => Type === 'AWS::IAM::Policy');
  for (const [name = '', , readers = ''] of rows) {
    const secret = `:secret:${codeIn(name).join()}-`;
    const found = policies.filter(({ Properties }) => JSON.stringify(Properties).includes(secret));
    const functions = found.map(({ id }) => id.replace(/Role.*/, ''));
    expect(functions.toSorted(), secret).toEqual(readers.trim().replaceAll('-', '').split(', '));
  }
});

test('the commands for secrets name secrets of the stage', () => {
  const respond = { ...staging.respond, slackSigningSecret: slackSecret };
  const known = neededSecrets({ ...staging, respond }, ruleSet.routes).map(({ name }) => name);
  expect(known).toContain(slackSecret);
  const commands = blocksIn('sh', [page])
    .map(({ text }) => text.replaceAll(/ *\\\n */g, ' '))
    .join('');
  const named = [...commands.matchAll(/(?:create-secret --name|--secret-id) (\S+)/g)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(2);
  for (const name of named) expect(known).toContain(name);
});

test('deploying.md lists the checks of doctor', () => {
  expect(tableIn(page, 'check').map(([name = '']) => name.trim())).toEqual(Object.keys(CHECKS));
});

/** The stage that this code builds, as a team would write it. */
async function constructOf(code: string, file: string): Promise<Deltawatch> {
  const bundles = join(folder.path, 'bundles');
  for (const name of FUNCTIONS) {
    await mkdir(join(bundles, name), { recursive: true });
    await writeFile(join(bundles, name, 'index.mjs'), '');
  }
  await mkdir(join(folder.path, 'rules'), { recursive: true });
  await writeFile(join(folder.path, 'rules', 'routes.yaml'), routes.replace(', interactive: true', ''));
  await writeFile(join(folder.path, 'rules', 'try-it.yaml'), rule);
  const placed = code
    .replace("'deltawatch/cdk'", JSON.stringify(pathToFileURL('infra/cdk.ts').href))
    .replaceAll(/'(aws-cdk-lib[^']*)'/g, (_, name) => JSON.stringify(import.meta.resolve(name)))
    .replace('new App()', `new App({ outdir: ${JSON.stringify(join(folder.path, `${file}.out`))} })`)
    .replace("loadRules('rules')", `loadRules(${JSON.stringify(join(folder.path, 'rules'))})`)
    .replace("name: 'staging'", `bundles: ${JSON.stringify(bundles)}, name: 'staging'`);
  const path = join(folder.path, file);
  await writeFile(path, `${placed}\nexport { alerts };\n`);
  const module: Record<string, unknown> = await import(pathToFileURL(path).href);
  return z.custom<Deltawatch>().parse(module.alerts);
}

test('the construct of deploying.md synthesizes, and exposes what the table says', async () => {
  const alerts = await constructOf(construct ?? '', 'app.ts');
  Template.fromStack(alerts.stacks.state).resourceCountIs('AWS::SNS::Subscription', 2);
  const listed = tableIn(page, 'property').flatMap(([name = '']) => codeIn(name));
  expect(
    Object.keys(alerts)
      .filter((key) => key !== 'node')
      .toSorted(),
  ).toEqual(listed.toSorted());
});

test('what deploying.md adds for a company reaches every role, function and table', async () => {
  const { stacks } = await constructOf(`${construct}\n${company}`, 'company.ts');
  const resources = Object.values<Stack>({ ...stacks }).flatMap((stack) =>
    resourcesOf(Template.fromStack(stack)),
  );
  const ofType = (type: string) => resources.filter(({ Type }) => Type === type);
  const roles = ofType('AWS::IAM::Role');
  for (const { Properties, id } of roles)
    expect(JSON.stringify(Properties.PermissionsBoundary), id).toContain('policy/team-boundary');
  // CDK's own function, which calls sync-rules once, stays outside of the network.
  const functions = ofType('AWS::Lambda::Function').filter(({ id }) => !id.startsWith('AWSCDK'));
  for (const { Properties } of functions)
    expect(Properties).toMatchObject({
      VpcConfig: { SubnetIds: ['subnet-0a1b2c3d'], SecurityGroupIds: ['sg-0a1b2c3d'] },
      TracingConfig: { Mode: 'Active' },
    });
  const [trusted] = roles.filter(({ id }) => id.startsWith('notify'));
  expect(JSON.stringify(trusted?.Properties.ManagedPolicyArns)).toMatch(
    /AWSLambdaVPCAccessExecutionRole.*AWSXRayDaemonWriteAccess/,
  );
  for (const type of ['AWS::DynamoDB::GlobalTable', 'AWS::SQS::Queue', 'AWS::SNS::Topic'])
    for (const { Properties } of ofType(type)) expect(JSON.stringify(Properties)).toContain('cost-center');
  expect([roles.length, functions.length]).toEqual([8, 5]);
});

test('answers.md lists exactly the paths without authorization', () => {
  const listed = tableIn(documentAt('docs/reference/answers.md'), 'path').flatMap(([path = '']) =>
    codeIn(path),
  );
  const stages = STAGES.map((stage) => ({
    ...stage,
    respond: { ...stage.respond, access: { kind: 'iam' } as const },
  }));
  const [staging] = synthesize(ruleSetOf(ruleNamed('try-it')), stages);
  const open = (staging?.resources ?? [])
    .filter(({ Type, Properties }) => Type.endsWith('V2::Route') || Properties.RouteKey)
    .filter(({ Properties }) => Properties.AuthorizationType === 'NONE')
    .map(({ Properties }) => String(Properties.RouteKey).replace('ANY ', ''))
    .filter((path) => path !== '$default');
  expect(listed.toSorted()).toEqual(open.toSorted());
});
