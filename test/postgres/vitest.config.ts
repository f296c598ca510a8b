import { defineConfig } from 'vitest/config';

/** The tests that need a PostgreSQL server, for connections, limits and rights. */
export default defineConfig({
  test: {
    name: 'postgres',
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/postgres/**/*.test.ts'],
    globalSetup: ['test/postgres/setup.ts'],
    // One server.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
