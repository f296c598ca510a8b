import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the packed package. */
    tarball: string;
  }
}

/** Builds and packs the package once, for all tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'deltawatch-pack-'));
  execFileSync('npm', ['run', 'build'], { stdio: 'inherit' });
  const pack = ['pack', './dist/package', '--silent', '--pack-destination', folder];
  const name = execFileSync('npm', pack, { encoding: 'utf8' }).trim();
  project.provide('tarball', join(folder, name));
  return () => rm(folder, { recursive: true });
}
