import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { checkCommand } from '../../../cli/rules/check.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { deltawatch, type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const ROUTES = 'channels: { team: { slack: { webhook_secret: team } } }\ndefault: [team]\n';
const RIGHT = `rules:
  - id: visits
    title: Visits
    app: demo
    owner: shop-team
    every: day at 07:00
    metric: sessions
    compare: { to: same_weekday }
    fire: { change: { below: -30% } }
`;
const WARNED = `${RIGHT}    severity: critical\n`;
const NEVER = RIGHT.replace('-30%', '-100%');
const WRONG = RIGHT.replace('sessions', 'sesions');

let folder: Folder;
let printed: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  printed = '';
  vi.spyOn(console, 'log').mockImplementation((text: string) => {
    printed += `${text}\n`;
  });
});
afterEach(async () => {
  process.exitCode = undefined;
  vi.restoreAllMocks();
  await folder[Symbol.asyncDispose]();
});

/** The output and exit code of `check` for a folder with this file. */
async function check(rules: string, ...options: string[]) {
  const dir = join(folder.path, 'rules');
  await mkdir(dir);
  await writeFile(join(dir, 'shop.yaml'), rules);
  await writeFile(join(dir, 'routes.yaml'), ROUTES);
  await checkCommand(new ManualClock(NOW)).parseAsync(['--rules', dir, ...options], { from: 'user' });
  return { code: process.exitCode ?? 0, text: printed.replaceAll(dir, 'rules') };
}

describe('check', () => {
  test('compares the calls of the rules with those of the strictest stage', async () => {
    const stage = `{ operators: 'ops@shop.example', calls: { perSecond: 1, perHour: 1 }, dataAccess: { kind: 'external', url: 'https://figures.shop.example' } }`;
    await writeFile(
      join(folder.path, 'deltawatch.config.ts'),
      `export default { stages: { live: ${stage} } };`,
    );
    await mkdir(join(folder.path, 'rules'));
    await writeFile(join(folder.path, 'rules', 'shop.yaml'), RIGHT);
    await writeFile(join(folder.path, 'rules', 'routes.yaml'), ROUTES);
    const { stdout } = await deltawatch(['check', '--json'], folder.path);
    expect(JSON.parse(stdout)).toMatchObject({
      findings: [
        {
          code: 'calls-at-once',
          message: expect.stringMatching(/need about 2 calls within one hour, and 1 are allowed/),
        },
      ],
    });
  });

  test('prints a warning with its place, and exits with 0', async () => {
    const { code, text } = await check(WARNED);
    expect(code).toBe(0);
    expect(text).toMatch(
      /shop.yaml:10:15 warning runbook-missing:[\s\S]*\n {2}10 \| {5}severity: critical\n {17,}\^\n\n1 rule is valid; 1 warning \(docs/,
    );
  });

  test('fails for a rule that can never fire', async () => {
    const { code, text } = await check(NEVER);
    expect(code).toBe(1);
    expect(text).toContain('\n1 error in 1 rule (docs/reference/lint.md explains each)');
  });

  test('counts ignored findings', async () => {
    const comment = '  # deltawatch-ignore runbook-missing being written\n';
    const { text } = await check(WARNED.replace('rules:\n', `rules:\n${comment}`), '--strict');
    expect(text).toBe('1 rule is valid; 1 ignored\n');
  });
});

describe('check --json', () => {
  test('prints findings in one document', async () => {
    const { code, text } = await check(WARNED, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(text)).toMatchObject({
      rules: 1,
      problems: [],
      findings: [{ code: 'runbook-missing', severity: 'warning', ruleId: 'visits', line: 10, column: 15 }],
      ignored: 0,
    });
  });

  test('prints problems in the same document, and fails', async () => {
    const { code, text } = await check(WRONG, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(text)).toMatchObject({
      rules: 0,
      problems: [{ line: 7, column: 13, message: expect.stringContaining('did you mean "sessions"?') }],
      findings: [],
    });
  });
});
