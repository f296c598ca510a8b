import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { neededSecrets } from '../../cli/deploy/deploy-secrets.ts';
import { CHECKS } from '../../cli/operate/doctor.ts';
import type { Deltawatch } from '../../infra/cdk.ts';
import { FUNCTIONS } from '../../infra/function-bundles.ts';
import { loadProject } from '../../shared/config/load-config.ts';
import type { Stage } from '../../shared/config/stage.ts';
import { buildRuleSet, formatProblems } from '../../shared/rule-files/yaml-rule-files.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../fixtures/deltawatch.ts';
import { STAGES } from '../fixtures/stages.ts';
import { synthesize } from '../infra/synthesis.ts';
import { blocksIn, codeIn, documentAt, tableIn } from './documents.ts';

const page = documentAt('docs/how-to/deploying.md');
const [config, slackSetting, construct] = blocksIn('ts', [page]).map(({ text }) => text);
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

test('the construct of deploying.md synthesizes, and exposes what the table says', async () => {
  const bundles = join(folder.path, 'bundles');
  for (const name of FUNCTIONS) {
    await mkdir(join(bundles, name), { recursive: true });
    await writeFile(join(bundles, name, 'index.mjs'), '');
  }
  await mkdir(join(folder.path, 'rules'));
  await writeFile(join(folder.path, 'rules', 'routes.yaml'), routes.replace(', interactive: true', ''));
  await writeFile(join(folder.path, 'rules', 'try-it.yaml'), rule);
  const placed = (construct ?? '')
    .replace("'deltawatch/cdk'", JSON.stringify(pathToFileURL('infra/cdk.ts').href))
    .replaceAll(/'(aws-cdk-lib[^']*)'/g, (_, name) => JSON.stringify(import.meta.resolve(name)))
    .replace('new App()', `new App({ outdir: ${JSON.stringify(join(folder.path, 'cdk.out'))} })`)
    .replace("loadRules('rules')", `loadRules(${JSON.stringify(join(folder.path, 'rules'))})`)
    .replace("name: 'staging'", `bundles: ${JSON.stringify(bundles)}, name: 'staging'`);
  const file = join(folder.path, 'app.ts');
  await writeFile(file, `${placed}\nexport { alerts };\n`);
  const module: Record<string, unknown> = await import(pathToFileURL(file).href);
  const alerts = z.custom<Deltawatch>().parse(module.alerts);
  Template.fromStack(alerts.stacks.state).resourceCountIs('AWS::SNS::Subscription', 2);
  const listed = tableIn(page, 'property').flatMap(([name = '']) => codeIn(name));
  expect(
    Object.keys(alerts)
      .filter((key) => key !== 'node')
      .toSorted(),
  ).toEqual(listed.toSorted());
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
