import { defineConfig } from 'vitest/config';

/** The tests of the npm package, installed in repositories of its own. They need the registry, or npm's cache of it. */
export default defineConfig({
  test: {
    name: 'package',
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/package/**/*.test.ts'],
    globalSetup: ['test/package/setup.ts'],
    testTimeout: 5 * 60_000,
    hookTimeout: 5 * 60_000,
  },
});
