import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const FUNCTIONS = [
  ...(['plan-checks', 'check-rules', 'notify', 'respond'] as const),
  ...(['sync-rules', 'data-access'] as const),
] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

const ROOT = join(import.meta.dirname, '..');

/** Where the package ships the bundles. */
export const SHIPPED_BUNDLES = 'bundles';

/** The folder of the bundles, with one folder per function: of the package, or in the repository of `bundleFunctions`. */
export function bundlesDir(): string {
  const shipped = join(ROOT, SHIPPED_BUNDLES);
  return existsSync(shipped) ? shipped : join(ROOT, 'dist', 'functions');
}
