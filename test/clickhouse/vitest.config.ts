import { defineConfig } from 'vitest/config';

/** The tests that need ClickHouse, which needs a package of Python. */
export default defineConfig({
  test: {
    name: 'clickhouse',
    root: new URL('../..', import.meta.url).pathname,
    include: [
      'test/clickhouse/**/*.test.ts',
      'test/long/contracts/metric-source.test.ts',
      'test/long/functions/data-access/tables/*.test.ts',
      'test/functions/data-access/tables/partitions.test.ts',
    ],
    globalSetup: ['test/clickhouse/setup.ts'],
    // One server.
    fileParallelism: false,
    testTimeout: 2 * 60_000,
    hookTimeout: 2 * 60_000,
  },
});
