import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type DeployParts, deployCommand } from '../../../cli/deploy/deploy.ts';
import { readRules } from '../../../cli/options/read-rules.ts';
import { loadProject } from '../../../shared/config/load-config.ts';
import { deploymentFor } from '../../../shared/deployments/deployment.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { ConfigError } from '../../../shared/runtime/errors.ts';
import { deploymentStoreIn } from '../../../shared/store/deployment-store.ts';
import { ruleStoreIn } from '../../../shared/store/rule-store.ts';
import { type FakeAccount, startAccount, variablesOf } from '../../fixtures/aws-account.ts';
import { BAKERY_RULES } from '../../fixtures/bakery.ts';
import { ruleSetOf } from '../../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';
import { openEmulatedTable } from '../../fixtures/dynamodb.ts';
import { portOf } from '../../fixtures/port-of-socket.ts';

const CONFIG = `export default {
  rules: 'alerts',
  stages: {
    live: {
      operators: 'platform@bakery.example',
      dataAccess: { kind: 'external', url: 'https://figures.bakery.example' },
      respond: { slackSigningSecret: 'bakery/slack-app' },
    },
    elsewhere: {
      account: '999999999999',
      operators: 'platform@bakery.example',
      dataAccess: { kind: 'own', firstDay: '2026-01-01' },
    },
  },
};`;
const ROUTES = `channels:
  bakers:
    slack: { webhook_secret: bakery/slack, interactive: true }
  pager:
    pagerduty: { routing_key_secret: bakery/pager }
default: [bakers, pager]`;

const URL_OF_PAGE = 'https://page.example';
const ALL_SECRETS = [
  ...['deltawatch/live/api-key', 'deltawatch/live/session-keys', 'deltawatch/live/signing-keys'],
  ...['bakery/slack', 'bakery/slack-app', 'bakery/pager'],
];

let folder: Folder;
let account: FakeAccount;
let printed: string[];
/** What happened, in order. */
let steps: string[];
beforeEach(async () => {
  folder = await temporaryFolder();
  account = await startAccount();
  for (const [name, value] of Object.entries(variablesOf(account))) vi.stubEnv(name, value);
  account.state.stacks.set('CDKToolkit', { status: 'CREATE_COMPLETE' });
  await writeFile(join(folder.path, 'deltawatch.config.ts'), CONFIG);
  await mkdir(join(folder.path, 'alerts'));
  await writeFile(join(folder.path, 'alerts', 'routes.yaml'), ROUTES);
  await writeFile(join(folder.path, 'alerts', 'loaves.yaml'), BAKERY_RULES);
  [printed, steps] = [[], []];
  for (const stream of ['log', 'error'] as const)
    vi.spyOn(console, stream).mockImplementation((text: string) => void printed.push(text));
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
  await account[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** `no`: the questions that get a no. `values`: hidden input by the start of its question. */
interface Answers {
  no?: RegExp;
  values?: Record<string, string>;
  terminal?: false;
  packages?: false;
}

async function deploy(
  args: string[],
  { no = /$^/, values = {}, terminal, packages }: Answers = {},
): Promise<string> {
  const { state } = account;
  const parts: DeployParts = {
    clock: new ManualClock(0),
    newKey: () => 'bmV3IGtleQ==',
    ask:
      terminal === false
        ? undefined
        : async (question) => {
            steps.push(`asked: ${question}`);
            return !no.test(question);
          },
    async askHidden(question) {
      steps.push(`asked in secret: ${question}`);
      return Object.entries(values).find(([name]) => question.startsWith(`${name}:`))?.[1];
    },
    toolkit() {
      if (packages === false) throw new ConfigError('this needs a package:\n\nnpm install aws-cdk');
      return async ({ name, account: into, region }, { rules }) => {
        steps.push(`synthesized ${name} for ${into}/${region} with ${rules.length} rule`);
        return {
          showDifferences: async () => void steps.push('diff'),
          async deploy() {
            steps.push('deployed');
            const part = (of: string, outputs: Record<string, string>) =>
              state.stacks.set(`deltawatch-${name}-${of}`, { status: 'CREATE_COMPLETE', outputs });
            part('state', { TableName: 'deltawatch' });
            part('respond', { Url: URL_OF_PAGE });
            part('alerting', {});
          },
          [Symbol.asyncDispose]: async () => void steps.push('removed its folder'),
        };
      };
    },
  };
  const command = deployCommand(parts).exitOverride();
  command.setOptionValueWithSource('project', await loadProject(folder.path), 'config');
  command.setOptionValueWithSource('rules', join(folder.path, 'alerts'), 'default');
  await command.parseAsync([...args, '--as', 'ada'], { from: 'user' });
  return printed.join('\n');
}

const secretsExist = (names = ALL_SECRETS) => {
  for (const name of names) account.state.secrets.set(name, 'known');
};

test('a deployment warns of more calls than its stage allows, and asks before it deploys', async () => {
  secretsExist();
  const few = CONFIG.replace('    live: {', '    live: {\n      calls: { perSecond: 1, perHour: 1 },');
  await writeFile(join(folder.path, 'deltawatch.config.ts'), few);
  const shown = await deploy(['live'], { no: /^Deploy/ });
  expect(shown.replaceAll(/\s+/g, ' ')).toMatch(
    /warning: the rules of bakery need about \d+ calls .* allowed, so/,
  );
  expect(steps).not.toContain('deployed');
});

test('a first deployment makes what is missing, and deploys', async () => {
  secretsExist(['bakery/slack', 'bakery/slack-app']);
  const values = { 'deltawatch/live/api-key': ' key-of-the-service\n', 'bakery/pager': 'routing-key' };
  const output = await deploy(['live'], { values });

  expect(steps).toEqual([
    'synthesized live for 111122223333/eu-north-1 with 1 rule',
    'asked in secret: deltawatch/live/api-key: the API key of the data access service',
    'asked in secret: bakery/pager: the PagerDuty routing key of the channel pager',
    'diff',
    'asked: Deploy live?',
    'deployed',
    'removed its folder',
  ]);
  expect(Object.fromEntries(account.state.secrets)).toMatchObject({
    'deltawatch/live/signing-keys': 'bmV3IGtleQ==',
    'deltawatch/live/session-keys': 'bmV3IGtleQ==',
    'deltawatch/live/api-key': 'key-of-the-service',
    'bakery/pager': 'routing-key',
  });
  expect(output).toContain(`The page: ${URL_OF_PAGE}`);
  expect(output).toMatch(/^Sign in: npx deltawatch open --stage live$/m);
  expect(output).toContain('platform@bakery.example');
  for (const value of ['bmV3IGtleQ==', 'key-of-the-service', 'routing-key'])
    expect(output).not.toContain(value);
  expect(account.calls).not.toContain('GetSecretValue');
  for (const line of output.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test('--yes asks nothing', async () => {
  secretsExist(ALL_SECRETS.filter((name) => !/(signing|session)-keys$/.test(name)));
  await deploy(['live', '--yes'], { terminal: false });
  expect(steps.filter((step) => step.startsWith('asked'))).toEqual([]);
  expect(account.state.secrets.get('deltawatch/live/signing-keys')).toBe('bmV3IGtleQ==');
  steps = [];
  const output = await deploy(['live', '--yes'], { terminal: false });
  expect(steps.filter((step) => step.startsWith('asked'))).toEqual([]);
  expect(output).toMatch(
    /The changes of the rules cannot be shown: access to the table deltawatch is\s+denied/,
  );
  expect(steps).toContain('deployed');
});

test('the command to sign in has the profile and the region of the deployment', async () => {
  secretsExist();
  vi.stubEnv('AWS_CONFIG_FILE', join(folder.path, 'aws'));
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, undefined);
  await writeFile(join(folder.path, 'aws'), '[profile ops]\naws_access_key_id=a\naws_secret_access_key=b\n');
  const output = await deploy(['live', '--yes', '--profile', 'ops', '--region', 'eu-west-1']);
  expect(output).toMatch(/^Sign in: npx deltawatch open --stage live --profile ops --region eu-west-1$/m);
});

test('a later deployment shows what changes in the rules before it asks', async () => {
  secretsExist();
  await deploy(['live', '--yes']);
  const table = await openEmulatedTable(new ManualClock(0));
  await using dynamodb = await portOf(table.socketPath);
  account.state.dynamodb = dynamodb.url;
  await deploymentStoreIn(table).save(
    deploymentFor(ruleSetOf(), { stack: 'deltawatch-live-alerting', hasButtons: true }),
  );
  const output = await deploy(['live']);
  expect(output).toContain('+ loaves');
  await table.close();
});

test('a later deployment says that applied rules stay, if it brings the rules of the one before', async () => {
  secretsExist();
  await deploy(['live', '--yes']);
  const table = await openEmulatedTable(new ManualClock(0));
  await using dynamodb = await portOf(table.socketPath);
  account.state.dynamodb = dynamodb.url;
  const ruleVersion = (await readRules(join(folder.path, 'alerts'))).version;
  const deployment = { functionName: 'sync-rules', functionVersion: 1, ruleVersion, replaced: null };
  await ruleStoreIn(table).save({ ...ruleSetOf(), version: 'applied' }, { by: 'bo', deployment });
  const output = await deploy(['live']);
  expect(output.replaceAll(/\s+/g, ' ')).toContain(
    'The active rules stay: they were applied since the last deployment, and the rules of this folder are those of that deployment. To activate the rules of this folder: npx deltawatch apply --stage live',
  );
  expect(output).not.toContain('+ loaves');
  await table.close();
});

test('new secrets are encrypted with the key of the stage', async () => {
  const kmsKey = 'arn:aws:kms:eu-north-1:111122223333:key/own';
  const keyed = CONFIG.replace('    live: {', `    live: {\n      kmsKey: '${kmsKey}',`);
  await writeFile(join(folder.path, 'deltawatch.config.ts'), keyed);
  secretsExist(ALL_SECRETS.filter((name) => !name.endsWith('signing-keys')));
  await deploy(['live', '--yes']);
  expect(Object.fromEntries(account.state.keys)).toEqual({ 'deltawatch/live/signing-keys': kmsKey });
});

test('a first deployment names the stages of the account that the configuration does not name', async () => {
  secretsExist();
  for (const stage of ['old', 'elsewhere'])
    account.state.stacks.set(`deltawatch-${stage}-state`, {
      status: 'UPDATE_COMPLETE',
      tags: { application: 'deltawatch', stage },
    });
  account.state.stacks.set('others', { status: 'UPDATE_COMPLETE', tags: { stage: 'theirs' } });
  const output = (await deploy(['live'])).replaceAll(/\s+/g, ' ');
  expect(output).toContain(
    'also has stacks of a stage "old", which deltawatch.config.ts does not name. If live is its new name: "npx deltawatch destroy old" deletes them',
  );
  expect(output).not.toMatch(/"(theirs|elsewhere|live)", which/);
  printed = [];
  expect(await deploy(['live'])).not.toContain('also has');
});

test('a first deployment says if it cannot look for other stages', async () => {
  secretsExist();
  account.state.refused.set('DescribeStacks of all', 'AccessDenied');
  expect(await deploy(['live'])).toContain(
    'Other stages of the account cannot be shown: CloudFormation refused',
  );
  expect(steps).toContain('deployed');
});

describe('nothing is deployed', () => {
  test('after a no', async () => {
    secretsExist();
    const output = await deploy(['live'], { no: /^Deploy/ });
    expect(steps).toContain('diff');
    expect(output).toContain('Nothing was deployed.');
    expect(process.exitCode).toBe(1);
  });

  test.each<[string, string[], Answers, RegExp]>([
    ['without a terminal', ['live'], { terminal: false }, /no terminal to ask at: use --yes/],
    ['for an unknown stage', ['life'], {}, /no stage "life".*did you mean "live"/s],
    ["for another account's stage", ['elsewhere'], {}, /111122223333.*"elsewhere" belongs to 999999999999/s],
    [
      'without secrets that a pipeline cannot make',
      ['live', '--yes'],
      {},
      /"deltawatch\/live\/api-key".*missing/s,
    ],
    ['after an empty value', ['live'], { values: { 'deltawatch/live/api-key': ' ' } }, /api-key" is missing/],
  ])('%s', async (_, args, answers, problem) => {
    await expect(deploy(args, answers)).rejects.toThrow(problem);
    expect(steps).not.toContain('deployed');
  });

  test('with everything that is missing, at once', async () => {
    for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
      vi.stubEnv(name, undefined);
    for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE'])
      vi.stubEnv(name, join(folder.path, 'none'));
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    await expect(deploy(['live'], { terminal: false, packages: false })).rejects.toThrow(
      /^there is no terminal.*: use --yes .*\nthe AWS region is not known: .*\nAWS credentials are missing: .*\nthis needs a package:\n\nnpm install aws-cdk$/,
    );
    expect(printed).toEqual([]);
    expect(account.calls).toEqual([]);
  });

  test('with a table that does not exist and a key of another region, before the synthesis', async () => {
    const kmsKey = 'arn:aws:kms:eu-west-1:111122223333:key/own';
    const keys = `region: 'eu-north-1', kmsKey: '${kmsKey}', state: { table: 'gone' },`;
    await writeFile(
      join(folder.path, 'deltawatch.config.ts'),
      CONFIG.replace('    live: {', `    live: { ${keys}`),
    );
    secretsExist();
    await expect(deploy(['live', '--yes'])).rejects.toThrow(
      /^there is no table "gone" in eu-north-1 of the account 111122223333: .*\nkmsKey is a key of eu-west-1: /,
    );
    expect(steps).toEqual([]);
  });

  test('to an account without a bootstrap, with the command', async () => {
    account.state.stacks.delete('CDKToolkit');
    secretsExist();
    const command = /an administrator must run "npx cdk bootstrap aws:\/\/111122223333\/eu-north-1" once/;
    await expect(deploy(['live', '--yes'])).rejects.toThrow(command);
    expect(steps).toEqual([]);
  });

  test('with everything that the account lacks, at once, before the templates are made', async () => {
    account.state.stacks.delete('CDKToolkit');
    secretsExist(['deltawatch/live/signing-keys', 'deltawatch/live/session-keys', 'bakery/slack-app']);
    account.state.secrets.set('bakery/slack', null);
    await expect(deploy(['live', '--yes'])).rejects.toThrow(
      /^the account 111122223333 is not prepared .*\nthe secret "bakery\/slack" is scheduled for deletion: .*\nnothing was deployed, because the secrets "deltawatch\/live\/api-key" and "bakery\/pager" are missing: .* create them as/,
    );
    expect(steps).toEqual([]);
  });

  test('with a secret that is being deleted', async () => {
    secretsExist();
    account.state.secrets.set('bakery/pager', null);
    await expect(deploy(['live', '--yes'])).rejects.toThrow(/restore-secret --secret-id bakery\/pager/);
  });

  test.each([
    ['GetCallerIdentity', 'ExpiredToken', /AWS rejected your credentials: log in/],
    ['DescribeSecret', 'AccessDeniedException', /Secrets Manager refused: AccessDenied/],
    ['DescribeStacks', 'AccessDenied', /CloudFormation refused: AccessDenied/],
  ])('if AWS refuses %s', async (operation, code, problem) => {
    secretsExist();
    account.state.refused.set(operation, code);
    await expect(deploy(['live', '--yes'])).rejects.toThrow(problem);
    expect(steps).not.toContain('deployed');
  });

  test('with wrong rules, and no call to AWS', async () => {
    await writeFile(join(folder.path, 'alerts', 'loaves.yaml'), BAKERY_RULES.replace('sessions', 'sesions'));
    await expect(deploy(['live', '--yes'])).rejects.toThrow(/loaves\.yaml/);
    expect(account.calls).toEqual([]);
  });
});
