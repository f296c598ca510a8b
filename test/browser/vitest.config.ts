import { defineConfig } from 'vitest/config';

/** The tests in a real browser, which need Chromium. */
export default defineConfig({
  test: {
    name: 'browser',
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/browser/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
