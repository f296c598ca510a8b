import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { MINUTE_MS } from './shared/units/durations.ts';

/** For tests that npm alone can run. */
const IN_PROCESS = {
  // The default leaves one core idle, which is half of a machine with two cores.
  maxWorkers: '100%',
  // Loading the modules again for each file took a third of the time. No test changes the state of a module.
  isolate: false,
  // Compiling modules takes half of the start time of a process.
  env: { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') },
  // No test takes a minute on two idle cores. The tests must also pass on a busy machine that is four times slower.
  testTimeout: 5 * MINUTE_MS,
  hookTimeout: 5 * MINUTE_MS,
  // By default one second.
  expect: { poll: { timeout: MINUTE_MS } },
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...IN_PROCESS,
          name: 'quick',
          include: ['test/**/*.test.ts'],
          // Each of these projects needs something that npm does not install, or much time.
          exclude: [
            'browser',
            'clickhouse',
            'deploy',
            'dynamodb-local',
            'long',
            'package',
            'postgres',
            'soak',
            'trino',
            'year',
          ].map((name) => `test/${name}/**`),
        },
      },
      { test: { ...IN_PROCESS, name: 'long', include: ['test/long/**/*.test.ts'] } },
      {
        test: {
          name: 'soak',
          include: ['test/soak/**/*.test.ts'],
          testTimeout: 60 * MINUTE_MS,
          hookTimeout: 60 * MINUTE_MS,
        },
      },
      {
        test: {
          name: 'year',
          include: ['test/year/**/*.test.ts'],
          testTimeout: 60 * MINUTE_MS,
          hookTimeout: 60 * MINUTE_MS,
        },
      },
      'test/trino/vitest.config.ts',
      'test/clickhouse/vitest.config.ts',
      'test/postgres/vitest.config.ts',
      'test/browser/vitest.config.ts',
      'test/package/vitest.config.ts',
      'test/deploy/vitest.config.ts',
      'test/dynamodb-local/vitest.config.ts',
    ],
  },
});
