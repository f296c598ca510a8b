import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The folder with `prometheus` and `promtool` of Debian's package, fetched once; `undefined` where apt has none. */
export async function prometheusFolder(): Promise<string | undefined> {
  const home = join(homedir(), '.cache/deltawatch/prometheus');
  const found = () => globSync(join(home, 'usr/bin/promtool')).map((path) => join(path, '..'))[0];
  if (found()) return found();
  await mkdir(join(home, '..'), { recursive: true });
  const draft = await mkdtemp(`${home}-draft-`);
  try {
    await run('apt-get', ['download', 'prometheus'], { cwd: draft });
    await run('dpkg', ['-x', ...globSync(join(draft, '*.deb')), draft]);
    await rename(draft, home);
  } catch {
    await rm(draft, { recursive: true, force: true });
  }
  return found();
}
