import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { formatProblems } from '../../../shared/rule-files/file-problems.ts';
import { loadRuleFiles } from '../../../shared/rule-files/yaml-rule-files.ts';
import { ConfigError } from '../../../shared/runtime/errors.ts';
import { rulesAtRef } from '../../../workbench/backtest/rules-at-ref.ts';
import { type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';

const ROUTES = 'channels: { team: { slack: { webhook_secret: team } } }\ndefault: [team]\n';
const rule = (bound: string) =>
  `rules:\n  - { id: a, title: A, app: demo, owner: team, every: hour, metric: sessions, fire: { change: { above: ${bound} } } }\n`;

async function read(dir: string) {
  const loaded = await loadRuleFiles(dir);
  if (loaded.kind === 'problems') throw new ConfigError(formatProblems(loaded.problems));
  return loaded.ruleSet;
}

/** Commits: `before`, `empty` without the folder, `wrong` with a misspelt metric, `main`; the working tree differs from it. */
let repository: Folder;
beforeAll(async () => {
  repository = await temporaryFolder();
  const { path } = repository;
  const git = (...words: string[]) => execFileSync('git', ['-C', path, ...words], { stdio: 'pipe' });
  const commit = (tag: string) => {
    git('add', '-A');
    git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', tag, '--allow-empty');
    git('tag', tag);
  };
  const write = async (bound: string) => {
    await mkdir(join(path, 'team/rules'), { recursive: true });
    await writeFile(join(path, 'team/rules/routes.yaml'), ROUTES);
    await writeFile(join(path, 'team/rules/a.yaml'), rule(bound));
  };
  git('init', '-q', '-b', 'main');
  commit('empty');
  await write('10%');
  commit('before');
  await write('ten');
  commit('wrong');
  await write('20%');
  commit('now');
  await write('30%');
  return async () => repository[Symbol.asyncDispose]();
});

const at = (ref: string, dir = 'team/rules') =>
  rulesAtRef({
    ref,
    rulesDir: join(repository.path, dir),
    stateDir: join(repository.path, '.deltawatch'),
    read,
  });

test.each([
  ['before', 0.1],
  ['main', 0.2],
])('reads the rules of %s', async (ref, bound) => {
  const { ruleSet, commit } = await at(ref);
  expect(ruleSet?.rules[0]?.fire?.change?.above).toBe(bound);
  expect(commit).toMatch(/^[0-9a-f]{7}$/);
});

test('keeps the working tree and leaves no files', async () => {
  await at('before');
  expect(await readFile(join(repository.path, 'team/rules/a.yaml'), 'utf8')).toContain('30%');
  expect(await readdir(join(repository.path, '.deltawatch'))).toEqual([]);
});

test('ignores export-ignore and the git variables of a hook', async () => {
  const before = await at('before');
  await writeFile(join(repository.path, '.git/info/attributes'), 'team/rules/a.yaml export-ignore\n');
  vi.stubEnv('GIT_DIR', '.git');
  vi.stubEnv('GIT_INDEX_FILE', join(repository.path, 'nowhere'));
  try {
    expect((await at('before')).ruleSet).toEqual(before.ruleSet);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('leaves no files if it is interrupted while rules are read', async () => {
  const stop = new AbortController();
  const stopped = rulesAtRef({
    ...{ ref: 'before', rulesDir: join(repository.path, 'team/rules') },
    ...{ stateDir: join(repository.path, '.deltawatch'), signal: stop.signal },
    read: async (dir) => {
      stop.abort('SIGINT');
      return read(dir);
    },
  });
  await expect(stopped).rejects.toBe('SIGINT');
  expect(await readdir(join(repository.path, '.deltawatch'))).toEqual([]);
});

test('returns no rules for a folder that did not exist', async () => {
  expect((await at('empty')).ruleSet).toBeUndefined();
});

describe('rulesAtRef refuses', () => {
  test.each([
    ['nowhere', 'git finds no commit "nowhere" here'],
    ['--help', 'git finds no commit "--help" here'],
    ['wrong', 'the rules at wrong are not valid'],
  ])('%s', async (ref, sentence) => {
    await expect(at(ref)).rejects.toThrow(sentence);
  });
});
