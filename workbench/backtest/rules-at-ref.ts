import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { environmentWithout, type Variables } from '../../shared/runtime/environment.ts';
import { ConfigError, isErrorCode } from '../../shared/runtime/errors.ts';

const run = promisify(execFile);

/** A hook sets variables that point git at its repository, whatever folder is given. */
const SET_BY_HOOKS = ['GIT_DIR', 'GIT_INDEX_FILE', 'GIT_WORK_TREE', 'GIT_PREFIX', 'GIT_OBJECT_DIRECTORY'];

export interface PastRulesRequest {
  /** Branch, tag or commit. */
  ref: string;
  rulesDir: string;
  /** Folder for the temporary copy, from which TypeScript rules can resolve their packages. */
  stateDir: string;
  /** Reads a folder of rules. Throws `ConfigError` where they are invalid. */
  read: (dir: string) => Promise<RuleSet>;
  /** Aborts with its reason and removes the copy. */
  signal?: AbortSignal;
}

/** The rules of a folder at a commit: its short id. `ruleSet` is `undefined` where the folder did not exist: all rules are new. */
export type PastRules = Awaited<ReturnType<typeof rulesAtRef>>;

/** Changes neither working tree nor index. Throws `ConfigError` without git, for an unknown commit and for invalid rules. */
export async function rulesAtRef(request: PastRulesRequest) {
  const { ref, rulesDir, stateDir, read, signal } = request;
  const { top, path } = await placeInRepository(rulesDir);
  const commit = await commitOf(ref, top);
  const names = await namesIn(top, commit, path);
  const short = commit.slice(0, 7);
  if (names.length === 0) return { ruleSet: undefined, commit: short };
  await mkdir(stateDir, { recursive: true });
  const copy = await mkdtemp(join(resolve(stateDir), `rules-at-${short}-`));
  try {
    // TypeScript rules may import files beside their folder.
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
    throw new ConfigError(`the rules at ${ref} are not valid, so they cannot be compared: ${error.message}`, {
      cause: error,
    });
  }
}

/** The root of the repository, and the path of the rules in it: `.` for the root. */
async function placeInRepository(rulesDir: string): Promise<{ top: string; path: string }> {
  const words = ['rev-parse', '--show-toplevel', '--show-prefix'];
  const refusal = `${rulesDir} is not in a git repository, so there is nothing to compare with`;
  const [top = '', prefix = ''] = (await git(resolve(rulesDir), words, refusal)).split('\n');
  return { top, path: prefix.replace(/\/$/, '') || '.' };
}

async function commitOf(ref: string, top: string): Promise<string> {
  const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  const unknown = `git finds no commit "${ref}" here: use a branch, tag or commit; in CI, fetch it first (fetch-depth: 0 of actions/checkout)`;
  return (await git(top, words, unknown)).trim();
}

/** The folder's files at the commit; empty where it did not exist. */
async function namesIn(top: string, commit: string, path: string): Promise<string[]> {
  const words = ['ls-tree', '-z', '--name-only', commit, '--', path === '.' ? './' : `${path}/`];
  const listed = await git(top, words, `git cannot read ${path} at ${commit.slice(0, 7)}`);
  return listed.split('\0').filter(Boolean);
}

/** Copies files through a separate index. An archive would omit files marked "export-ignore". */
async function extract(
  top: string,
  { commit, wanted, copy }: { commit: string; wanted: string; copy: string },
): Promise<void> {
  const refusal = `git cannot read ${wanted} at ${commit.slice(0, 7)}`;
  const index = { GIT_INDEX_FILE: join(copy, '.index') };
  await git(top, [...WITHOUT_HOOKS, `--work-tree=${copy}`, 'checkout', commit, '--', wanted], refusal, index);
}

/** A hook's variables refer to its own index. */
const WITHOUT_HOOKS = ['-c', 'core.hooksPath=/dev/null'];

/** The output of git. Throws `ConfigError` with `refusal` where git fails, and where it is not installed. */
async function git(cwd: string, words: string[], refusal: string, more: Variables = {}): Promise<string> {
  try {
    const env = { ...environmentWithout(SET_BY_HOOKS), ...more };
    const { stdout } = await run('git', ['-C', cwd, ...words], { env, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const isMissing = isErrorCode(error, 'ENOENT');
    const why = isMissing ? 'comparing with a commit requires git, which is not installed' : refusal;
    throw new ConfigError(why, { cause: error });
  }
}
