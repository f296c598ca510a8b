import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { RuleSet } from '../../shared/alerting/deployments/rule-store.ts';
import { environmentWithout, type Variables } from '../../shared/runtime/environment.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';

const run = promisify(execFile);

/** In a hook git says which repository and index it runs for, whatever folder is asked about. */
const SET_BY_HOOKS = ['GIT_DIR', 'GIT_INDEX_FILE', 'GIT_WORK_TREE', 'GIT_PREFIX', 'GIT_OBJECT_DIRECTORY'];

/** The rules of a folder as they were at a commit. */
export interface PastRules {
  /** `undefined` where the folder was not there, so that all of it is new. */
  ruleSet: RuleSet | undefined;
  /** The commit's id, in short. */
  commit: string;
}

export interface PastRulesRequest {
  /** A branch, a tag or a commit, as git takes it. */
  ref: string;
  rulesDir: string;
  /** Where a copy may lie while it is read; below the folder whose packages rules in TypeScript import. */
  stateDir: string;
  /** Reads a folder of rules. Throws `ConfigError` where they are wrong. */
  read: (dir: string) => Promise<RuleSet>;
  /** Ends it by throwing its reason; nothing that was copied stays. */
  signal?: AbortSignal;
}

/**
 * Reads rules as git has them; the working tree and the index stay as they are. Throws `ConfigError` with a sentence
 * where there is no git, no such commit, or where the rules were wrong there.
 */
export async function rulesAtRef(request: PastRulesRequest): Promise<PastRules> {
  const { ref, rulesDir, stateDir, read, signal } = request;
  const { top, path } = await placeInRepository(rulesDir);
  const commit = await commitOf(ref, top);
  const names = await namesIn(top, commit, path);
  const short = commit.slice(0, 7);
  if (names.length === 0) return { ruleSet: undefined, commit: short };
  await mkdir(stateDir, { recursive: true });
  const copy = await mkdtemp(join(resolve(stateDir), `rules-at-${short}-`));
  try {
    // Rules in TypeScript may import what lies beside their folder.
    const wanted = names.some((name) => name.endsWith('.ts')) ? '.' : path;
    await extract(top, { commit, wanted, copy });
    signal?.throwIfAborted();
    const ruleSet = await readAt(join(copy, path), ref, read);
    signal?.throwIfAborted();
    return { ruleSet, commit: short };
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function readAt(dir: string, ref: string, read: PastRulesRequest['read']): Promise<RuleSet> {
  try {
    return await read(dir);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(
      `at ${ref} the rules were not right, so nothing can be compared with them: ${error.message}`,
      {
        cause: error,
      },
    );
  }
}

/** The repository's own folder, and where in it the rules are: `.` where it is the same. */
async function placeInRepository(rulesDir: string): Promise<{ top: string; path: string }> {
  const dir = resolve(rulesDir);
  // A folder may be gone from the working tree and still be in the past.
  const isThere = await readdir(dir).then(
    () => true,
    () => false,
  );
  const from = isThere ? dir : dirname(dir);
  const [top = '', prefix = ''] = (
    await git(
      from,
      ['rev-parse', '--show-toplevel', '--show-prefix'],
      `${rulesDir} lies in no git repository, so there is nothing to compare with`,
    )
  ).split('\n');
  const path = join(prefix, isThere ? '' : basename(dir))
    .replaceAll('\\', '/')
    .replace(/\/$/, '');
  return { top, path: path === '' ? '.' : path };
}

async function commitOf(ref: string, top: string): Promise<string> {
  const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  const unknown = `git knows no commit "${ref}" here; name a branch, a tag or a commit, and in CI fetch it first (fetch-depth: 0 of actions/checkout)`;
  return (await git(top, words, unknown)).trim();
}

/** The files of the folder at the commit; none where it was not there. */
async function namesIn(top: string, commit: string, path: string): Promise<string[]> {
  const words = ['ls-tree', '-z', '--name-only', commit, '--', path === '.' ? './' : `${path}/`];
  const listed = await git(top, words, `git cannot read ${path} at ${commit.slice(0, 7)}`);
  return listed.split('\0').filter(Boolean);
}

/**
 * Copies files by an index of their own, which leaves that of the repository alone: an archive would leave out what is
 * marked "export-ignore".
 */
async function extract(
  top: string,
  { commit, wanted, copy }: { commit: string; wanted: string; copy: string },
): Promise<void> {
  const refusal = `git cannot read ${wanted} at ${commit.slice(0, 7)}`;
  const index = { GIT_INDEX_FILE: join(copy, '.index') };
  const tree = wanted === '.' ? [commit] : [`--prefix=${wanted}/`, `${commit}:${wanted}`];
  await git(top, [...WITHOUT_HOOKS, 'read-tree', ...tree], refusal, index);
  await git(top, [...WITHOUT_HOOKS, 'checkout-index', '--all', `--prefix=${copy}/`], refusal, index);
}

/** A hook of the repository is about its own index. */
const WITHOUT_HOOKS = ['-c', 'core.hooksPath=/dev/null'];

/** What git prints. Throws `ConfigError` with `refusal` where it refuses, and says so where there is no git. */
async function git(cwd: string, words: string[], refusal: string, more: Variables = {}): Promise<string> {
  try {
    const env = { ...environmentWithout(SET_BY_HOOKS), ...more };
    const { stdout } = await run('git', ['-C', cwd, ...words], { env, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new ConfigError(
      isMissing ? 'to compare with a commit needs git, which is not installed' : refusal,
      {
        cause: error,
      },
    );
  }
}
