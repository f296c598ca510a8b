import { expect, test } from 'vitest';
import { buildRuleSet, formatProblems } from '../../shared/adapters/rule-files/yaml-rule-files.ts';
import { secretsOf } from '../../shared/alerting/notifications/channels.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { STAGES } from '../fixtures/stages.ts';
import { synthesize } from '../infra/synthesis.ts';
import { blocksIn, codeIn, documentAt, tableIn } from './documents.ts';

const page = documentAt('docs/how-to/deploying.md');
const commands = blocksIn('sh', [page])
  .map(({ text }) => text.replaceAll(/ *\\\n */g, ' '))
  .join('');
const slackSecret = /slackSigningSecret: '([^']+)'/.exec(blocksIn('ts', [page])[0]?.text ?? '')?.[1] ?? '';
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

test('deploying.md creates every secret that the stage reads', () => {
  const stage = STAGES.find(({ name }) => name === 'staging');
  const created = [...commands.matchAll(/create-secret --name (\S+)/g)].map(([, name]) => name);
  const ofChannels = Object.values(ruleSet.routes.channels).flatMap(secretsOf);
  const access = stage?.respond.access;
  const sessions = access?.kind === 'session' ? [access.secret] : [];
  const read = [stage?.apiKeySecret, stage?.respond.signingSecret, ...sessions, ...ofChannels, slackSecret];
  expect(created.toSorted()).toEqual(read.toSorted());
  const replaced = [...commands.matchAll(/put-secret-value --secret-id (\S+)/g)].map(([, name]) => name);
  for (const name of replaced) expect(read).toContain(name);
});

test('the respond stack with a Slack app has the output that deploying.md reads', () => {
  const stages = STAGES.map((stage) => ({
    ...stage,
    respond: { ...stage.respond, slackSigningSecret: slackSecret },
  }));
  const [staging] = synthesize({ ...ruleSetOf(ruleNamed('try-it')), routes: ruleSet.routes }, stages);
  const [, stack, output] = /--stack-name (\S+) .*OutputKey=='(\w+)'/.exec(commands) ?? [];
  expect(stack).toBe('deltawatch-staging-respond');
  expect(Object.keys(staging?.stacks.respond.findOutputs('*') ?? {})).toContain(output);
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
