import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * A file that the code reads from disk: where `from`, the URL of a module, finds it, or else beside the bundle. `name` is
 * that of a file in a package, or a relative path.
 */
export function readPackedFile(name: string, from: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(createRequire(from).resolve(name));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) throw error;
    return readFileSync(new URL(name.slice(name.lastIndexOf('/') + 1), from));
  }
}

/** The files of uPlot, which draws charts in browsers, by their names in its package. */
export const PLOT_FILES = { script: 'uplot/dist/uPlot.iife.min.js', style: 'uplot/dist/uPlot.min.css' };
