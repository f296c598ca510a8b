import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { promisify } from 'node:util';
import * as z from 'zod';
import { readEnvironment } from '../../shared/runtime/environment.ts';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const INSTALL_MS = 10 * 60_000;

/** This machine has no Chromium; the message says how to install it. */
export class ChromiumUnavailable extends Error {
  override readonly name = 'ChromiumUnavailable';
}

/**
 * The Chromium of this machine: the one in the variable `CHROMIUM`, or in a usual place of distributions, or else
 * installed from Debian's packages. Throws `ChromiumUnavailable`.
 */
export async function findChromium(): Promise<string> {
  const { CHROMIUM } = readEnvironment({ CHROMIUM: z.string().optional() });
  const found = await firstProgramIn(CHROMIUM === undefined ? PROGRAMS : [CHROMIUM]);
  if (found) return found;
  if (CHROMIUM === undefined) await installChromium();
  const installed = await firstProgramIn(PROGRAMS);
  if (CHROMIUM === undefined && installed) return installed;
  throw new ChromiumUnavailable(`there is no program ${CHROMIUM ?? PROGRAMS.join(' or ')}`);
}

async function installChromium(): Promise<void> {
  const call = promisify(execFile);
  const options = { timeout: INSTALL_MS };
  console.error('There is no Chromium on this machine: installing the one of the distribution');
  try {
    await call('apt-get', ['update', '--quiet'], options);
    const install = ['install', '--yes', '--quiet', '--no-install-recommends', 'chromium'];
    await call('apt-get', install, options);
  } catch (cause) {
    throw new ChromiumUnavailable(
      'the browser tests need Chromium: run apt-get install chromium as root, or set CHROMIUM to the program',
      { cause },
    );
  }
}

async function firstProgramIn(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return path;
  }
  return undefined;
}
