import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Match } from 'aws-cdk-lib/assertions';
import compact from 'json-stringify-pretty-compact';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { assertAnswerable } from '../../infra/channel-rights.ts';
import type { Access } from '../../shared/config/stage.ts';
import { routesSchema } from '../../shared/notifications/routes.ts';
import { ruleNamed } from '../fixtures/builders.ts';
import { STAGES } from '../fixtures/stages.ts';
import {
  alarmsOn,
  appWith,
  mentions,
  resourcesOf,
  statementsOf,
  synthesize,
  withoutHashes,
} from './synthesis.ts';

const ruleSet = {
  version: 'v1',
  rules: [
    ruleNamed('orders-hourly', { every: 'hour at :05' }),
    ruleNamed('orders-daily', { every: 'day at 07:00', zone: 'Europe/Berlin' }),
    ruleNamed('carts-daily', { every: 'day at 07:00', zone: 'Europe/Berlin' }),
    ruleNamed('orders-in-new-york', { every: 'day at 07:00', zone: 'America/New_York' }),
    ruleNamed('orders-weekly', { every: 'monday at 08:00', zone: 'Europe/Berlin' }),
  ],
  routes: routesSchema.parse({
    channels: {
      growth: { slack: { webhook_secret: 'slack/growth' } },
      shop: { slack: { webhook_secret: 'slack/shop' } },
      // The same webhook under a second name.
      'shop-too': { slack: { webhook_secret: 'slack/shop' } },
      own: { slack: { webhook_secret: 'deltawatch/$STAGE/slack' } },
      pager: { pagerduty: { routing_key_secret: 'pagerduty/key' } },
      receiver: { webhook: { url_secret: 'receiver/url', signing_secret: 'receiver/key' } },
      topic: { sns: { topic_arn: 'arn:aws:sns:eu-central-1:123456789012:alerts' } },
      bus: { eventbridge: { bus: 'company' } },
      'far-bus': { eventbridge: { bus: 'arn:aws:events:eu-west-1:210987654321:event-bus/theirs' } },
      mail: { email: { to: ['team@example.com'], from: 'alerts@example.com' } },
      'far-mail': {
        email: { to: ['team@example.com'], from: 'alerts@far.example', ses_region: 'eu-west-1' },
      },
      smtp: { email: { to: ['team@example.com'], from: 'a@example.com', smtp_secret: 'smtp/url' } },
    },
    default: ['growth'],
  }),
};

const environmentSchema = z.object({ Variables: z.record(z.string(), z.unknown()) });

const SECRETS = ['pagerduty/key', 'receiver/key', 'receiver/url', 'slack/growth', 'slack/shop', 'smtp/url'];

const synthesized = synthesize(ruleSet);

describe.each(synthesized)('$stage.name', ({ stage, protectedStacks, stackTags, resources }) => {
  const ofType = (type: string) => resources.filter(({ Type }) => Type === type);
  // CDK adds its own function, which calls sync-rules during a deployment.
  const functions = ofType('AWS::Lambda::Function').filter(({ id }) => !id.startsWith('AWSCDK'));
  const queues = ofType('AWS::SQS::Queue');
  const isDeadLetters = ({ Properties }: { Properties: Record<string, unknown> }) =>
    !Properties.RedrivePolicy;

  test('tags every resource with its stage', () => {
    const expected = { application: 'deltawatch', stage: stage.name };
    const tags = resources.flatMap(({ id, Properties }) => tagsOf(Properties).map((each) => [id, each]));
    expect(tags.length).toBeGreaterThan(40);
    for (const [id, each] of tags) expect(each, String(id)).toEqual(expected);
    // What has no tags of its own gets those of the stack.
    for (const each of stackTags) expect(each).toEqual(expected);
  });

  test('keeps every log for as long as the stage says', () => {
    const groups = ofType('AWS::Logs::LogGroup');
    for (const { id, Properties } of groups) expect(Properties.RetentionInDays, id).toBe(stage.logDays);
    for (const { id, Properties } of ofType('AWS::Lambda::Function')) {
      const named = groups.some((group) => mentions(Properties.LoggingConfig, group.id));
      expect(named, id).toBe(true);
    }
  });

  test('has dead letters for every queue, schedule and scheduled function', () => {
    const deadLetters = queues.filter(isDeadLetters);
    for (const { id } of deadLetters)
      expect(alarmsOn(resources, 'ApproximateNumberOfMessagesVisible', id), id).toHaveLength(1);
    for (const { id } of queues.filter((queue) => !isDeadLetters(queue)))
      expect(alarmsOn(resources, 'ApproximateAgeOfOldestMessage', id), id).toHaveLength(1);
    const inDeadLetters = (target: unknown) => deadLetters.some(({ id }) => mentions(target, id));
    const targets = [
      ...queues.filter((queue) => !isDeadLetters(queue)).map(({ Properties }) => Properties.RedrivePolicy),
      ...ofType('AWS::Scheduler::Schedule').map(({ Properties }) => Properties.Target),
      ...ofType('AWS::Lambda::EventInvokeConfig').map(({ Properties }) => Properties.DestinationConfig),
    ];
    expect(targets).toHaveLength(2 + 5 + 2);
    for (const target of targets) expect(target).toSatisfy(inDeadLetters);
  });

  test('applies rules after every function that reads them is deployed', () => {
    const [trigger] = ofType('Custom::Trigger');
    for (const name of ['plan-checks', 'check-rules', 'notify'] as const) {
      const id = functions.find((each) => each.id.startsWith(name.replace('-', '')))?.id;
      expect(trigger?.DependsOn, name).toContain(id);
    }
  });

  test('grants no wildcard actions and no wildcard resources', () => {
    const allowed = statementsOf(resources).filter(({ Effect }) => Effect === 'Allow');
    expect(allowed.length).toBeGreaterThan(10);
    for (const { Action, Resource } of allowed) {
      for (const action of Action) expect(action).not.toContain('*');
      // Invoking a function includes its versions, and reading objects includes those of a folder.
      const ofFunctions = Action.join() === 'lambda:InvokeFunction' ? ':*' : undefined;
      const mayEndIn = Action.includes('s3:GetObject') ? '/*' : ofFunctions;
      for (const [, end] of JSON.stringify(Resource).matchAll(/"[^"]*?([^"]?\*)"/g))
        expect(end).toBe(mayEndIn);
    }
    const ours = ofType('AWS::IAM::Role').filter(({ id }) => !id.startsWith('AWSCDK'));
    for (const { id, Properties } of ours) expect(Properties.ManagedPolicyArns, id).toBeUndefined();
  });

  test('lets each function read only its secrets', () => {
    const ofStages = STAGES.map(({ name }) => `deltawatch/${name}/slack`);
    const sessionSecret = `deltawatch/${stage.name}/session-keys`;
    const readers = ofType('AWS::IAM::Policy').flatMap((policy) =>
      [...SECRETS, ...ofStages, stage.apiKeySecret, stage.respond.signingSecret, sessionSecret].flatMap(
        (secret) =>
          mentions(policy.Properties.PolicyDocument, `:secret:${secret}-??????`, 'part')
            ? [`${policy.id.replace(/Role.*/, '')} reads ${secret}`]
            : [],
      ),
    );
    expect(readers.toSorted()).toEqual(
      [
        `checkrules reads ${stage.apiKeySecret}`,
        `notify reads ${stage.respond.signingSecret}`,
        `notify reads deltawatch/${stage.name}/slack`,
        ...SECRETS.map((secret) => `notify reads ${secret}`),
        `respond reads ${sessionSecret}`,
        `respond reads ${stage.respond.signingSecret}`,
      ].toSorted(),
    );
  });

  test('lets only notify send, and only to the topics and buses of the routes', () => {
    const senders = ofType('AWS::IAM::Policy').flatMap((policy) =>
      statementsOf([policy])
        .filter(({ Action }) => /^(sns|events):/.test(Action.join()))
        .map(({ Action, Resource }) => [policy.id.replace(/Role.*/, ''), ...Action, Resource]),
    );
    expect(senders).toEqual([
      ['notify', 'sns:Publish', 'arn:aws:sns:eu-central-1:123456789012:alerts'],
      [
        'notify',
        'events:PutEvents',
        [expect.stringMatching(/theirs$/), expect.objectContaining({ 'Fn::Join': expect.anything() })],
      ],
    ]);
    expect(JSON.stringify(senders)).toContain(':event-bus/company"');
  });

  test('lets only notify send mail, and only from the addresses of the routes', () => {
    const senders = ofType('AWS::IAM::Policy').flatMap((policy) =>
      statementsOf([policy])
        .filter(({ Action }) => /^ses:/.test(Action.join()))
        .map(({ Action, Resource, Condition }) => {
          const identities = JSON.stringify(Resource).match(/[\w-]*:[^:]*:identity\/[^"]+/g);
          return { of: policy.id.replace(/Role.*/, ''), Action, Condition, identities };
        }),
    );
    const from = (address: string) => ({ StringEquals: { 'ses:FromAddress': address } });
    const about = { of: 'notify', Action: ['ses:SendEmail', 'ses:SendRawEmail'] };
    expect(senders).toMatchObject([
      { ...about, Condition: from('alerts@example.com') },
      { ...about, Condition: from('alerts@far.example') },
    ]);
    expect(JSON.stringify(senders[0])).toMatch(/identity\/alerts@example\.com.*identity\/example\.com/);
  });

  test('puts no secret into the environment', () => {
    for (const { id, Properties } of functions) {
      const environment = JSON.stringify(Properties.Environment);
      expect(environment, id).toContain('TABLE_NAME');
      expect(environment, id).not.toMatch(/resolve:|SecretString|hooks\.slack\.com/);
    }
  });

  test('has two public APIs: one checks keys, the other links and sessions', () => {
    const entrances = ['AWS::Lambda::Url', 'AWS::ApiGateway::RestApi', 'AWS::ApiGatewayV2::Api'];
    expect(entrances.flatMap(ofType).map(({ id }) => id)).toEqual([
      expect.stringMatching(/^AnswersApi/),
      expect.stringMatching(/^InterfaceApi/),
    ]);
    const [respond] = functions.filter(({ id }) => id.startsWith('respond'));
    expect(environmentSchema.parse(respond?.Properties.Environment).Variables.ACCESS).toBe('session');
    for (const { Properties } of ofType('AWS::Lambda::Permission'))
      expect(Properties.Principal).not.toBe('*');
    for (const { Properties } of ofType('AWS::S3::Bucket'))
      expect(Properties.PublicAccessBlockConfiguration).toEqual({
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      });
    const policies = ['AWS::SQS::QueuePolicy', 'AWS::SNS::TopicPolicy', 'AWS::S3::BucketPolicy'];
    for (const { Properties } of policies.flatMap(ofType))
      expect(JSON.stringify(Properties)).not.toMatch(/"Effect":"Allow"[^}]*"Principal":("\*"|{"AWS":"\*"})/);
  });

  test('keeps its tables and buckets if the stage keeps state', () => {
    const kept = [...ofType('AWS::DynamoDB::GlobalTable'), ...ofType('AWS::S3::Bucket')];
    expect(kept).toHaveLength(4);
    for (const { DeletionPolicy } of kept) expect(DeletionPolicy).toBe(stage.keepState ? 'Retain' : 'Delete');
  });

  test('protects the stacks with data from deletion if the stage keeps state', () => {
    const holding = ['state', 'data'].map((what) => `deltawatch-${stage.name}-${what}`);
    expect(protectedStacks).toEqual(stage.keepState ? holding : []);
  });
});

describe('an API with authorization', () => {
  const [first] = STAGES;
  const routesWith = (access: Access, slackSigningSecret?: string) => {
    if (!first) throw new Error('there is no stage');
    const respond = { ...first.respond, access, ...(slackSigningSecret && { slackSigningSecret }) };
    const [only] = synthesize(ruleSet, [{ ...first, respond }]);
    if (!only) throw new Error('there are no stacks');
    const all = resourcesOf(only.stacks.respond);
    const routes = all.filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Route');
    return { ...only, all, routes: routes.map(({ Properties }) => Properties) };
  };

  test.each<[string, Access]>([
    ['AWS_IAM', { kind: 'iam' }],
    ['JWT', { kind: 'oidc', issuer: 'https://login.example.com', audience: ['deltawatch'] }],
  ])('%s guards every path except links, Slack, the interface of alerts and assets', (guard, access) => {
    const { routes, stacks, all } = routesWith(access);
    const typeOf = (route: Record<string, unknown>) => String(route.AuthorizationType);
    const guarded = routes.filter((route) => typeOf(route) !== 'NONE');
    expect(guarded.map(({ RouteKey }) => RouteKey)).toEqual(['$default']);
    expect(guarded.map(typeOf)).toEqual([guard]);
    const open = routes.filter((route) => typeOf(route) === 'NONE').map(({ RouteKey }) => RouteKey);
    expect(open).toEqual([
      ...['ANY /a/{token}', 'ANY /p/{token}', 'ANY /slack/interactions', 'ANY /slack/commands'],
      'ANY /api/v1/{path+}',
      ...['ANY /assets/{file}', 'ANY /healthz'],
    ]);
    // The API decodes the path after it has chosen the route, so the function must check again.
    stacks.respond.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ ACCESS: 'authorized' }) },
    });
    const authorizers = all.filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Authorizer');
    expect(authorizers.map(({ Properties }) => Properties.JwtConfiguration)).toEqual(
      access.kind === 'oidc' ? [{ Issuer: access.issuer, Audience: access.audience }] : [],
    );
  });

  test('the function has the roles of groups in a file, because an environment is small', async () => {
    const groups = Array.from({ length: 200 }, (_, i) => ({ group: `team-${i}`, role: 'read' as const }));
    const roles = { claim: 'groups', groups };
    const oidc = { kind: 'oidc' as const, issuer: 'https://login.example.com', audience: ['deltawatch'] };
    if (!first) throw new Error('there is no stage');
    const respond = { ...first.respond, access: { ...oidc, roles } };
    using made = appWith(ruleSet, [{ ...first, respond }]);
    const folder = `respond-deltawatch-${first.name}-respond`;
    const packed = await readFile(join(made.app.outdir, folder, 'roles.json'), 'utf8');
    expect(JSON.parse(packed)).toEqual(roles);
    const { stacks } = routesWith({ ...oidc, roles });
    stacks.respond.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ ROLES_FILE: 'roles.json' }) },
    });
  });

  test.each<[string, Access]>([
    ['session', { kind: 'session', secret: 'session-keys' }],
    ['iam', { kind: 'iam' }],
  ])('limits links, pictures and buttons separately from the page (%s)', (_, access) => {
    const { all, routes } = routesWith(access);
    const [live] = all.filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Stage');
    const { perSecond, burst } = first?.respond.requests ?? { perSecond: 0, burst: 0 };
    const limits = { ThrottlingRateLimit: perSecond, ThrottlingBurstLimit: burst };
    expect(live?.Properties).toMatchObject({
      DefaultRouteSettings: limits,
      RouteSettings: {
        ...{ 'ANY /a/{token}': limits, 'ANY /p/{token}': limits },
        ...{ 'ANY /slack/interactions': limits, 'ANY /slack/commands': limits },
      },
    });
    // A setting of a route that does not exist fails the deployment.
    const keys = routes.map(({ RouteKey }) => RouteKey);
    expect(keys).toEqual(expect.arrayContaining(Object.keys(Object(live?.Properties.RouteSettings))));
  });

  test('lets only respond read the secret of a Slack app', () => {
    const { resources } = routesWith({ kind: 'session', secret: 'session-keys' }, 'slack/app');
    const policies = resources.filter(({ Type }) => Type === 'AWS::IAM::Policy');
    const readers = policies.filter(({ Properties }) => mentions(Properties, ':secret:slack/app-', 'part'));
    expect(readers.map(({ id }) => id)).toEqual([expect.stringMatching(/^respondRole/)]);
  });
});

test('synthesize rejects an interactive channel without a Slack signing secret', () => {
  const growth = { slack: { webhook_secret: 'slack/growth', interactive: true } };
  const routes = { ...ruleSet.routes, channels: { ...ruleSet.routes.channels, growth } };
  expect(() => synthesize({ ...ruleSet, routes })).toThrow(
    'The channel "growth" is interactive, but the stage "staging" has no respond.slackSigningSecret',
  );
  const withSecret = STAGES.map((stage) => ({
    ...stage,
    respond: { ...stage.respond, slackSigningSecret: 'slack/app' },
  }));
  for (const stage of withSecret) expect(() => assertAnswerable(routes, stage)).not.toThrow();
});

test.each(['state', 'respond', 'alerting', 'data', 'dataAccess'] as const)(
  'the %s stack of production matches its snapshot',
  (stack) => {
    const production = synthesized.find(({ stage }) => stage.name === 'production');
    const template = production?.stacks[stack];
    expect(`\n${compact(template && withoutHashes(template), { maxLength: 160 })}\n`).toMatchSnapshot();
  },
);

const tagsSchema = z.union([
  z.record(z.string(), z.string()),
  z
    .array(z.object({ Key: z.string(), Value: z.string() }))
    .transform((tags) => Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]))),
]);
const taggedSchema = z
  .object({ Tags: z.unknown(), Replicas: z.array(z.object({ Tags: z.unknown() })) })
  .partial();

/** The tags of a resource, or of each replica of a table; none if it has no tags. */
function tagsOf(properties: Record<string, unknown>): Record<string, string>[] {
  const { Tags, Replicas = [] } = taggedSchema.parse(properties);
  return [Tags, ...Replicas.map((each) => each.Tags)].flatMap((each) =>
    each === undefined ? [] : [tagsSchema.parse(each)],
  );
}
