import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openCommand } from '../../../cli/operate/open.ts';
import { noteRunning, openToRun } from '../../../local/installation.ts';
import { signedLinks } from '../../../shared/access/signed-links.ts';
import { slackManifest } from '../../../shared/channels/slack/manifest.ts';
import { configSchema } from '../../../shared/config/config.ts';
import type { Stage } from '../../../shared/config/stage.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { type FakeAccount, startAccount, variablesOf } from '../../fixtures/aws-account.ts';
import { temporaryFolder } from '../../fixtures/deltawatch.ts';
import { STAGES } from '../../fixtures/stages.ts';
import { NOW } from '../../functions/respond/desk.ts';

const KEY = 'k'.repeat(43);
const clock = new ManualClock(NOW);
const signer = signedLinks(async () => KEY, clock);

let printed: string[];
let said: string[];
let asked: unknown[];
beforeEach(() => {
  [printed, said, asked] = [[], [], []];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
  vi.spyOn(console, 'error').mockImplementation((text: string) => void said.push(text));
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => vi.restoreAllMocks());

const commandInTest = () =>
  openCommand({
    clock,
    async readSecret(...secret) {
      asked.push(secret);
      return `${KEY}\n`;
    },
  }).exitOverride();
const run = (...args: string[]) => commandInTest().parseAsync(args, { from: 'user' });

const tokenIn = (url = '') => url.slice(url.lastIndexOf('/') + 1);

it.each([
  ['--to', '//evil.example'],
  ['--to', 'alerts'],
  ['--as', ''],
  ['--as', '\u200b'],
  ['--as', 'x'.repeat(81)],
  ['--slack', 'app'],
])('open refuses %s %s', async (...options) => {
  await expect(run(...options)).rejects.toThrow(/\. (?:Use|Allowed choices are) /);
  expect(printed).toEqual([]);
});

describe('deltawatch open --stage', () => {
  const [first] = STAGES;
  if (!first) throw new Error('there is no stage');
  const live: Stage = { ...first, name: 'live', account: '111122223333', region: 'eu-west-3' };
  const session: Stage = {
    ...live,
    respond: { ...live.respond, access: { kind: 'session', secret: 'bakery/sessions' } },
  };

  let account: FakeAccount;
  beforeEach(async () => {
    account = await startAccount();
    for (const [name, value] of Object.entries(variablesOf(account))) vi.stubEnv(name, value);
    account.state.stacks.set('deltawatch-live-respond', {
      status: 'UPDATE_COMPLETE',
      outputs: { Url: 'https://page.example' },
    });
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await account[Symbol.asyncDispose]();
  });

  async function runIn(stage: Stage, ...args: string[]): Promise<void> {
    const config = { ...configSchema.parse({ rules: 'rules' }), stages: [stage] };
    const command = commandInTest();
    const project = { dir: '/shop', file: '/shop/deltawatch.config.ts', config };
    command.setOptionValueWithSource('project', project, 'config');
    await command.parseAsync(args, { from: 'user' });
  }

  it('finds the page, its secret and its region', async () => {
    await runIn(session, '--stage', 'live', '--as', 'Anna', '--to', '/alerts/sales?segment=a%20b');
    expect(printed).toEqual([expect.stringMatching(/^https:\/\/page\.example\/sign-in\/[\w.-]+$/)]);
    expect(said).toEqual(['The link signs in "Anna" once, within ten minutes. Do not share it.']);
    expect(await signer.verify('sign-in', tokenIn(printed[0]))).toMatchObject({
      claims: { by: 'Anna', to: '/alerts/sales?segment=a%20b' },
      expiresAt: NOW + 600_000,
    });
    expect(asked).toEqual([['bakery/sessions', { region: 'eu-west-3' }]]);
    expect(account.calls).toEqual(['GetCallerIdentity', 'DescribeStacks']);
  });

  it('signs in with a role, in some apps', async () => {
    await runIn(session, '--stage', 'live', '--role', 'answer', '--app', 'shop', '--app', 'web');
    expect(await signer.verify('sign-in', tokenIn(printed[0]))).toMatchObject({
      claims: { grant: { role: 'answer', apps: ['shop', 'web'] } },
    });
    await expect(runIn(session, '--stage', 'live', '--app', 'shop')).rejects.toThrow(
      'use --role read or --role answer with --app',
    );
  });

  it.each<[string, Stage]>([
    ['sessions', session],
    ['another access', { ...live, respond: { ...live.respond, access: { kind: 'iam' } } }],
  ])('--slack prints a link with the whole manifest for a page with %s', async (_, stage) => {
    await runIn(stage, '--stage', 'live', '--slack', 'manifest');
    await runIn(stage, '--stage', 'live', '--slack');
    const [manifest = '', link = ''] = printed;
    expect(JSON.parse(manifest)).toEqual(slackManifest('https://page.example'));
    // Some terminals end a link at a quote or a space.
    expect(link).toMatch(/^[\w:/.?=&%()*!'~-]+$/);
    const { origin, pathname, searchParams } = new URL(link);
    expect([origin, pathname, searchParams.get('new_app')]).toEqual(['https://api.slack.com', '/apps', '1']);
    expect(JSON.parse(searchParams.get('manifest_json') ?? '')).toEqual(JSON.parse(manifest));
    expect(asked).toEqual([]);
  });

  it('refuses a page without sessions', async () => {
    const stage: Stage = { ...live, respond: { ...live.respond, access: { kind: 'iam' } } };
    await expect(runIn(stage, '--stage', 'live')).rejects.toThrow(/its access is "iam"/);
    expect([printed, asked]).toEqual([[], []]);
  });
});

it('open prints the address of the page on this machine, and signs in if it is public', async () => {
  await using folder = await temporaryFolder();
  const open = () => run('--state', folder.path, '--to', '/alerts');
  await expect(open()).rejects.toThrow(/no Deltawatch runs in .* "npx deltawatch start"/);
  const running = { url: 'http://127.0.0.1:4100', isPublic: false };
  const table = await openToRun(folder.path, new ManualClock(0));
  await noteRunning(folder.path, running);
  await open();
  const slack = () => run('--state', folder.path, '--slack');
  await expect(slack()).rejects.toThrow(
    /Slack cannot reach http:\/\/127.0.0.1:4100: .*"deltawatch start --public"/,
  );
  await noteRunning(folder.path, { ...running, url: 'https://alerts.example', isPublic: true });
  await open();
  await slack();
  table.close();
  expect(printed).toEqual([
    'http://127.0.0.1:4100/alerts',
    expect.stringMatching(/^https:\/\/alerts\.example\/sign-in\//),
    expect.stringContaining(encodeURIComponent('https://alerts.example/slack/commands')),
  ]);
  expect(asked).toEqual([]);
});
