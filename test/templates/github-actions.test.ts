import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { secretVariable } from '../../local/secrets.ts';
import { refusalOf, wordsOf } from '../fixtures/command-line.ts';
import { runScript } from './scripts.ts';

const text = readFileSync('templates/github-actions/deltawatch-rules.yml', 'utf8');
const actionText = readFileSync('action.yml', 'utf8');

const access = z.enum(['read', 'write']);
const permissionsSchema = z.partialRecord(z.enum(['contents', 'id-token', 'pull-requests']), access);
const stepSchema = z
  .strictObject({
    id: z.string().optional(),
    name: z.string().optional(),
    if: z.string().optional(),
    uses: z.string().optional(),
    with: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    env: z.record(z.string(), z.string()).optional(),
    shell: z.string().optional(),
    run: z.string().optional(),
  })
  .refine(({ uses, run }) => (uses === undefined) !== (run === undefined), 'a step uses or runs something');
const jobSchema = z.strictObject({
  name: z.string(),
  if: z.string().optional(),
  needs: z.union([z.string(), z.array(z.string())]).optional(),
  'runs-on': z.literal('ubuntu-latest'),
  'timeout-minutes': z.int().max(60),
  environment: z.string().optional(),
  concurrency: z
    .strictObject({ group: z.string(), 'cancel-in-progress': z.boolean(), queue: z.literal('max') })
    .optional(),
  permissions: permissionsSchema,
  steps: z.array(stepSchema).min(1),
});
/** The part of the workflow syntax that the template uses; anything else is an error. */
const workflowSchema = z.strictObject({
  name: z.string(),
  on: z.strictObject({
    pull_request: z.null(),
    push: z.strictObject({ branches: z.tuple([z.literal('main')]) }),
  }),
  permissions: z.strictObject({}),
  jobs: z.record(z.string(), jobSchema),
});

const actionSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  inputs: z.record(z.string(), z.strictObject({ description: z.string(), default: z.string() })),
  runs: z.strictObject({ using: z.literal('composite'), steps: z.array(stepSchema) }),
});

const action = actionSchema.parse(parse(actionText));
const ACTION = './.github/actions/deltawatch';
const workflow = workflowSchema.parse(parse(text));
const jobs = Object.entries(workflow.jobs).map(([id, job]) => ({ id, ...job }));
const steps = jobs.flatMap(({ id, steps }) => steps.map((step) => ({ job: id, ...step })));
const scriptOf = (name: string) =>
  [...steps, ...action.runs.steps].find((step) => step.name === name)?.run ?? '';
const jobOf = (id: string) => jobs.find((job) => job.id === id);

const [OLDER, NEWEST] = ['a'.repeat(40), 'b'.repeat(40)];

/** The deltawatch commands of the action, without redirections. */
const commands = action.runs.steps.flatMap(({ run = '' }) =>
  [...run.matchAll(/npx deltawatch (.*)/g)].map(([line, words = '']) => ({
    ...{ line, words: wordsOf(words.replace(/ > .*/, '')) },
  })),
);

test.each(commands)('"$line" is valid', ({ words }) => {
  expect(refusalOf(words, true)).toBeUndefined();
});

test('rules are checked and tested first, and applied only by a push to main', () => {
  expect(commands.map(({ words: [name] }) => name)).toEqual(['check', 'test', 'plan', 'backtest', 'apply']);
  const runs = steps.filter(({ uses }) => uses === ACTION).map(({ job, with: given }) => [job, given?.run]);
  expect(runs).toEqual(['check', 'backtest', 'plan', 'comment', 'apply'].map((name) => [name, name]));
  expect(action.inputs.run?.default).toBe('check backtest comment');
  for (const id of ['backtest', 'plan', 'apply']) expect(jobOf(id)?.needs).toBe('check');
  expect(jobOf('apply')?.if).toContain("github.event_name == 'push' && github.ref == 'refs/heads/main'");
  expect(jobOf('apply')?.concurrency).toMatchObject({ 'cancel-in-progress': false });
});

test('jobs give the action only inputs that it has', () => {
  for (const { uses, with: given = {} } of steps)
    if (uses === ACTION) for (const name of Object.keys(given)) expect(action.inputs).toHaveProperty(name);
  const inUse = new Set([...actionText.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name));
  expect([...inUse].toSorted()).toEqual(Object.keys(action.inputs).toSorted());
});

test('every script of the action names its shell', () => {
  for (const { run, shell } of action.runs.steps) expect(shell).toBe(run === undefined ? undefined : 'bash');
});

test.each([
  ['deploys the newest commit of main', NEWEST, `newest=${NEWEST}\n`, ''],
  [
    'deploys nothing if main has a newer commit',
    OLDER,
    `newest=${NEWEST}\n`,
    `::notice::Not applied: main is at ${NEWEST} by now, and its run deploys the rules.\n`,
  ],
])('a run of main %s', async (_, GITHUB_SHA, output, notice) => {
  const script = scriptOf('Check for a newer merge');
  const env = { GITHUB_SHA, GITHUB_REPOSITORY: 'shop/rules' };
  const ran = await runScript(script, { env, answers: { '/shop/rules/commits/main': NEWEST } });
  expect(ran).toMatchObject({ output, stdout: notice });
  expect(jobOf('apply')?.steps.at(-1)).toMatchObject({
    if: 'steps.merged.outputs.newest == github.sha',
    with: { run: 'apply' },
  });
});

describe('a pull request', () => {
  const ofPulls = jobs.filter(({ id }) => id !== 'check' && id !== 'apply');

  test('from a fork runs without secrets and rights', () => {
    expect(ofPulls).toHaveLength(3);
    const isOwn = 'github.event.pull_request.head.repo.full_name == github.repository';
    for (const job of ofPulls) expect(job.if).toContain(`github.event_name == 'pull_request' && ${isOwn}`);
    expect(jobOf('check')?.permissions).toEqual({ contents: 'read' });
    expect(JSON.stringify(jobOf('check'))).not.toMatch(/secrets\.|github\.token/);
  });

  test('does not run code in the job that writes the comment', () => {
    const writers = jobs.filter(({ permissions }) => permissions['pull-requests'] === 'write');
    expect(writers.map(({ id }) => id)).toEqual(['comment']);
    const [checkout, ...others] = writers.flatMap(({ steps }) => steps);
    // The action of the base, and nothing else.
    expect(checkout?.with).toMatchObject({
      ref: expect.stringContaining(' github.event.pull_request.base.sha '),
      'sparse-checkout': '.github/actions',
    });
    expect(others).toMatchObject([{ uses: ACTION, with: { run: 'comment' } }]);
    for (const { run = '', if: when = '' } of action.runs.steps)
      if (run.includes('np')) expect(when).not.toMatch(/^$|'comment'\)/);
  });

  test('reaches scripts only as variables', () => {
    for (const { run = '' } of [...steps, ...action.runs.steps]) expect(run).not.toContain('${{');
  });
});

describe('the comment', () => {
  const done = { CHECKED: 'success', PLANNED: 'success', REPLAYED: 'success' };
  const files = { 'parts/1-plan.txt': 'planned\n', 'parts/2-backtest.txt': 'replayed\n' };
  const [planned, replayed] = ['**The plan**\n\n    planned\n', '**The backtest**\n\n    replayed\n'];
  const failed = (what: string) => `**${what}** failed: see [its log](https://run).\n`;
  const write = async (
    outcomes: Partial<typeof done>,
    found: Record<string, string>,
    { existing = '', head = NEWEST } = {},
  ) => {
    const about = { REPOSITORY: 'shop/rules', NUMBER: '7', COMMIT: NEWEST, RUN: 'https://run' };
    const { changes } = await runScript(scriptOf('Write one comment, or the same one again'), {
      files: found,
      env: { ...about, ...done, ...outcomes },
      answers: { '/pulls/7': head, '/issues/7/comments': existing },
    });
    return changes;
  };
  const bodyOf = (...parts: string[]) =>
    `<!-- deltawatch-rules -->\nOf ${NEWEST}:\n${parts.map((part) => `\n${part}`).join('')}`;

  test.each([
    ['both parts', {}, files, [planned, replayed]],
    [
      'only the plan if there is no service',
      { REPLAYED: 'skipped' },
      { 'parts/1-plan.txt': 'planned\n' },
      [planned],
    ],
    ['a rejected plan', { PLANNED: 'failure' }, files, [planned, replayed]],
    [
      'a failed backtest instead of its result',
      { REPLAYED: 'failure' },
      { 'parts/1-plan.txt': 'planned\n' },
      [planned, failed('The backtest')],
    ],
    [
      'a failed plan instead of an empty one',
      { PLANNED: 'cancelled' },
      { ...files, 'parts/1-plan.txt': '' },
      [failed('The plan'), replayed],
    ],
  ])('contains %s and the commit', async (_, outcomes, found, parts) => {
    const path = 'repos/shop/rules/issues/7/comments';
    expect(await write(outcomes, found)).toEqual([{ method: 'POST', path, body: bodyOf(...parts) }]);
  });

  test('is updated after each push, also if the check failed', async () => {
    const path = 'repos/shop/rules/issues/comments/42';
    const body = bodyOf(planned, replayed);
    expect(await write({}, files, { existing: '42' })).toEqual([{ method: 'PATCH', path, body }]);
    const unchecked = { CHECKED: 'failure', PLANNED: 'skipped', REPLAYED: 'skipped' };
    expect(await write(unchecked, {}, { existing: '42' })).toEqual([
      {
        method: 'PATCH',
        path,
        body: expect.stringContaining('**Check and test** failed, so nothing was planned'),
      },
    ]);
    expect(await write(unchecked, {})).toEqual([]);
  });

  test('is not changed by a run of an older commit', async () => {
    expect(await write({}, files, { existing: '42', head: OLDER })).toEqual([]);
  });
});

test('no job persists credentials, and each has the least permissions', () => {
  for (const { uses, with: given } of steps)
    if (uses?.startsWith('actions/checkout@')) expect(given).toMatchObject({ 'persist-credentials': false });
  const rights = Object.fromEntries(jobs.map(({ id, permissions }) => [id, permissions]));
  expect(rights).toEqual({
    check: { contents: 'read' },
    backtest: { contents: 'read' },
    plan: { contents: 'read', 'id-token': 'write' },
    comment: { contents: 'read', 'pull-requests': 'write' },
    apply: { contents: 'read', 'id-token': 'write' },
  });
});

test('only the backtest gets the secret of the API key', () => {
  const holders = steps.filter((step) => JSON.stringify(step).includes('secrets.'));
  expect(holders.map(({ job, with: given = {} }) => [job, Object.keys(given)])).toEqual([
    ['backtest', ['run', 'figures-key']],
  ]);
  const receivers = action.runs.steps.filter((step) => JSON.stringify(step).includes('inputs.figures-key'));
  expect(receivers.map(({ id, env = {} }) => [id, Object.keys(env)[0]])).toEqual([
    ['backtest', secretVariable('figures-key')],
  ]);
  expect(text).toContain('apiKeySecret "figures-key"');
});

test('roles are assumed after the packages are installed', () => {
  const at = (what: string) => action.runs.steps.findIndex((step) => JSON.stringify(step).includes(what));
  expect(at('configure-aws-credentials')).toBeGreaterThan(at('npm ci'));
  expect(text).not.toContain('configure-aws-credentials');
});

test('the head of the file lists exactly the variables in use', () => {
  const [head = ''] = text.split('\nname:');
  const listed = [...head.matchAll(/^# {3}(\w+) /gm)].map(([, name]) => name);
  const used = [...text.matchAll(/(?:vars|secrets)\.(\w+)/g)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual([...new Set(used)].toSorted());
});
