import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'quick',
          // By default a core is left idle, which on two makes it one.
          maxWorkers: '100%',
          // Loading the modules of each file anew took a third of the time; no test changes what modules keep.
          isolate: false,
          // Half of the time that a process takes to begin is spent on compiling its modules.
          env: { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') },
          include: ['test/**/*.test.ts'],
          exclude: ['test/long/**', 'test/trino/**', 'test/browser/**'],
          // Nothing takes a minute on two idle cores. A machine four times slower that is busy besides is to pass, too.
          testTimeout: 5 * MINUTE,
          hookTimeout: 5 * MINUTE,
        },
      },
      {
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          testTimeout: 60 * MINUTE,
          hookTimeout: 60 * MINUTE,
        },
      },
      'test/trino/vitest.config.ts',
      'test/browser/vitest.config.ts',
    ],
  },
});
