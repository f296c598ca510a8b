import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { destroyCommand } from '../../../cli/deploy/destroy.ts';
import { loadProject } from '../../../shared/config/load-config.ts';
import { type FakeAccount, startAccount, variablesOf } from '../../fixtures/aws-account.ts';
import { type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';

const stageIn = (account: string) => `export default {
  stages: {
    live: {
      account: '${account}',
      operators: 'platform@bakery.example',
      dataAccess: { kind: 'own', firstDay: '2026-01-01' },
    },
  },
};`;

let folder: Folder;
let account: FakeAccount;
let printed: string[];
beforeEach(async () => {
  folder = await temporaryFolder();
  account = await startAccount();
  for (const [name, value] of Object.entries(variablesOf(account))) vi.stubEnv(name, value);
  await writeFile(join(folder.path, 'deltawatch.config.ts'), stageIn('111122223333'));
  printed = [];
  for (const stream of ['log', 'error'] as const)
    vi.spyOn(console, stream).mockImplementation((text: string) => void printed.push(text));
  for (const part of ['state', 'data', 'respond', 'data-access', 'alerting']) stackOf('live', part);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
  await account[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** A protected stack with a table, a bucket and a function; the table outlives it. */
function stackOf(stage: string, part: string): void {
  account.state.stacks.set(`deltawatch-${stage}-${part}`, {
    status: 'UPDATE_COMPLETE',
    tags: { application: 'deltawatch', stage },
    isProtected: part === 'state',
    parts: [
      ...(part === 'state'
        ? ([['Table', 'AWS::DynamoDB::GlobalTable', `table-of-${stage}`]] as [string, string, string][])
        : []),
      ['Function', 'AWS::Lambda::Function', `${part}-function`],
      ['Role', 'AWS::IAM::Role', `${part}-role`],
    ],
    retained: ['Table'],
  });
}

async function destroy(args: string[], answer?: string): Promise<string> {
  const questions: string[] = [];
  const ask =
    answer === undefined
      ? undefined
      : async (question: string) => {
          questions.push(question);
          return answer;
        };
  const command = destroyCommand(ask).exitOverride();
  command.setOptionValueWithSource('project', await loadProject(folder.path), 'config');
  await command.parseAsync(args, { from: 'user' });
  expect(questions).toHaveLength(answer === undefined ? 0 : 1);
  return printed.join('\n');
}

test('destroy says what goes and what stays, and deletes the stage after its name was typed', async () => {
  stackOf('other', 'state');
  const output = await destroy(['live'], 'live');
  expect(output).toContain('Stage live, account 111122223333, region eu-north-1');
  expect(output).toMatch(/Deleted:\n {2}deltawatch-live-alerting: 2 resources\n/);
  expect(output).toMatch(/Stays:\n {2}the table table-of-live\n {2}secrets, .* deltawatch\/live\/\n/);
  const deletions = output.split('\n').filter((line) => /^Deleted \S/.test(line));
  expect(deletions).toEqual(
    ['alerting', 'respond', 'data-access', 'data', 'state'].map((part) => `Deleted deltawatch-live-${part}.`),
  );
  expect([...account.state.stacks.keys()]).toEqual(['deltawatch-other-state']);
  expect(output).toMatch(/can be used again.*\s.*deploying\.md/);
});

test('--yes with the name of the stage asks nothing', async () => {
  await destroy(['live', '--yes', 'live']);
  expect(account.state.stacks.size).toBe(0);
});

test('a table that does not outlive its stack is lost, which is said first', async () => {
  for (const stack of account.state.stacks.values()) stack.retained = [];
  expect(await destroy(['live', '--yes', 'live'])).toMatch(
    /Deleted:\n[\s\S]* {2}the table table-of-live, with all its data\n\nStays:\n {2}secrets/,
  );
});

test('what stays unless its creation fails, stays', async () => {
  for (const stack of account.state.stacks.values()) stack.retention = 'RetainExceptOnCreate';
  expect(await destroy(['live', '--yes', 'live'])).toMatch(/Stays:\n {2}the table table-of-live\n/);
});

test('a stage that the configuration no longer names is deleted too', async () => {
  stackOf('old', 'state');
  await destroy(['old', '--yes', 'old']);
  expect(account.state.stacks.has('deltawatch-old-state')).toBe(false);
  expect(account.state.stacks.size).toBe(5);
});

test('destroy ends at a stack that cannot be deleted, and the next one continues', async () => {
  const stuck = account.state.stacks.get('deltawatch-live-respond');
  if (stuck) stuck.stuck = 'The following resource(s) failed to delete: [Function].';
  await expect(destroy(['live', '--yes', 'live'])).rejects.toThrow(
    'deltawatch-live-respond is not deleted: The following resource(s) failed to delete: [Function].',
  );
  expect(account.state.stacks.has('deltawatch-live-state')).toBe(true);
  delete stuck?.stuck;
  await destroy(['live', '--yes', 'live']);
  expect(account.state.stacks.size).toBe(0);
});

test.each<[string, string[], string | undefined, RegExp]>([
  ['without a terminal', ['live'], undefined, /no terminal to ask at: use --yes live/],
  [
    'with the name of another stage',
    ['live', '--yes', 'life'],
    undefined,
    /--yes names "life", not .* "live"/,
  ],
  [
    'for a stage without stacks',
    ['life', '--yes', 'life'],
    undefined,
    /no stack of a stage "life".*stacks of live/,
  ],
])('nothing is deleted %s', async (_, args, answer, problem) => {
  await expect(destroy(args, answer)).rejects.toThrow(problem);
  expect(account.state.stacks.size).toBe(5);
});

test('nothing is deleted after another answer', async () => {
  expect(await destroy(['live'], 'yes')).toContain('Nothing was deleted.');
  expect(process.exitCode).toBe(1);
  expect(account.state.stacks.size).toBe(5);
});

test("nothing is deleted with another account's credentials", async () => {
  await writeFile(join(folder.path, 'deltawatch.config.ts'), stageIn('999999999999'));
  await expect(destroy(['live', '--yes', 'live'])).rejects.toThrow('belongs to 999999999999');
  expect(account.state.stacks.size).toBe(5);
});
