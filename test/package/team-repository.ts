import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Ended, type Folder, launch, temporaryFolder } from '../fixtures/deltawatch.ts';

const ROOT = process.cwd();

/** A folder outside the repository that has installed the package. */
export interface TeamRepository extends Folder {
  /** What the installation printed. */
  installed: Ended;
  /** Runs a program in the folder. */
  run(file: string, ...args: string[]): Promise<Ended>;
  write(name: string, text: string): Promise<void>;
}

const PNPM = [process.execPath, join(ROOT, 'node_modules/pnpm/bin/pnpm.mjs')] as const;

/**
 * Installs the package and `others` in an empty folder; with `isLean`, without optional packages. Prefers the cache of
 * the package manager to its registry.
 */
export async function teamRepository({
  others = [],
  manager = 'npm',
  isLean = false,
}: {
  others?: readonly string[];
  manager?: 'npm' | 'pnpm';
  isLean?: boolean;
} = {}): Promise<TeamRepository> {
  const folder = await temporaryFolder();
  const run = (file: string, ...args: string[]) => launch(file, args, folder.path).ended;
  const write = (name: string, text: string) => writeFile(join(folder.path, name), text);
  await write('package.json', '{ "name": "alerts", "private": true, "type": "module" }\n');
  const wanted = [inject('tarball'), ...others];
  const installed = await (manager === 'npm'
    ? run(
        'npm',
        'install',
        '--prefer-offline',
        ...(isLean ? ['--omit=optional'] : []),
        '--save-dev',
        ...wanted,
      )
    : run(...PNPM, 'add', '--prefer-offline', '--ignore-scripts', '--save-dev', ...wanted));
  return { ...folder, installed, run, write };
}

/** Packages in the versions of the repository. */
export function pinned(...names: string[]): string[] {
  const { devDependencies }: { devDependencies: Record<string, string> } = createRequire(import.meta.url)(
    '../../package.json',
  );
  return names.map((name) => `${name}@${devDependencies[name]}`);
}
