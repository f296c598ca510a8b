import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { exists } from '../../local/files.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { contentHash } from '../../shared/text/content-hash.ts';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const INSTALL_MS = 10 * 60_000;

const run = promisify(execFile);

/** This machine cannot run MiniStack; the message says what is missing. */
export class MiniStackUnavailable extends Error {
  override readonly name = 'MiniStackUnavailable';
}

/**
 * Installs MiniStack from PyPI, and returns the Python that has it. Later calls use the cache folder
 * `MINISTACK_CACHE_DIR`, by default `~/.cache/deltawatch/ministack`. Throws `MiniStackUnavailable`.
 */
export async function installMiniStack(): Promise<string> {
  const { MINISTACK_CACHE_DIR: cache } = readEnvironment({
    MINISTACK_CACHE_DIR: z.string().default(join(homedir(), '.cache/deltawatch/ministack')),
  });
  const { stdout: version } = await run('python3', ['--version']).catch((cause) => {
    throw new MiniStackUnavailable('MiniStack needs Python 3, as the program python3', { cause });
  });
  const home = join(cache, contentHash([version, await readFile(REQUIREMENTS, 'utf8')]));
  if (!(await exists(home))) await installTo(home, cache);
  return join(home, 'bin', 'python');
}

async function installTo(home: string, cache: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(`${home}-draft-`);
  const options = { timeout: INSTALL_MS };
  try {
    await run('python3', ['-m', 'venv', draft], options).catch((cause) => {
      throw new MiniStackUnavailable(
        'MiniStack needs the module venv of Python: apt-get install python3-venv',
        { cause },
      );
    });
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--only-binary', ':all:'];
    const install = [...pip, '--requirement', REQUIREMENTS];
    await run(join(draft, 'bin', 'python'), install, options).catch((cause) => {
      throw new MiniStackUnavailable(
        'the packages of test/deploy/requirements.txt cannot be installed: is the registry of pip in reach?',
        { cause },
      );
    });
    // A rename is atomic, so the folder is always complete; a concurrent installation has the same content.
    await rename(draft, home).catch(async (error: unknown) => {
      if (!(await exists(home))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
