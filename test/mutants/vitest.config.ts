import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    isolate: false,
    runner: './test/mutants/quiet-runner.ts',
    include: ['test/mutants/warm-worker.ts'],
    testTimeout: 0,
    hookTimeout: 0,
  },
});
