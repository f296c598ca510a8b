import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

/** Real deployments, to an emulator of AWS on loopback. It needs Python, and a download from PyPI. */
export default defineConfig({
  test: {
    name: 'deploy',
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/deploy/**/*.test.ts'],
    // A deployment whose predecessor failed says nothing.
    bail: 1,
    testTimeout: 10 * MINUTE,
    hookTimeout: 10 * MINUTE,
  },
});
