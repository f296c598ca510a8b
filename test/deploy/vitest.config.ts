import { defineConfig } from 'vitest/config';
import { MINUTE_MS } from '../../shared/units/durations.ts';

/** Real deployments, to an emulator of AWS on loopback. It needs Python, and a download from PyPI. */
export default defineConfig({
  test: {
    name: 'deploy',
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/deploy/**/*.test.ts'],
    // Each file has an account of its own, and waits for it most of the time.
    maxWorkers: 2,
    // A deployment whose predecessor failed says nothing.
    bail: 1,
    testTimeout: 10 * MINUTE_MS,
    hookTimeout: 10 * MINUTE_MS,
  },
});
