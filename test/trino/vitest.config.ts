import { defineConfig } from 'vitest/config';

/** The tests that need a real Trino, which needs Java and a download. */
export default defineConfig({
  test: {
    name: 'trino',
    root: new URL('../..', import.meta.url).pathname,
    include: [
      'test/trino/**/*.test.ts',
      'test/long/contracts/metric-source.test.ts',
      'test/long/functions/data-access/tables/*.test.ts',
      'test/functions/data-access/tables/partitions.test.ts',
    ],
    globalSetup: ['test/trino/setup.ts'],
    // One server, one set of tables.
    fileParallelism: false,
    // Questions are answered one at a time, each in about a second.
    testTimeout: 5 * 60_000,
    hookTimeout: 5 * 60_000,
  },
});
