import { defineConfig } from 'vitest/config';

/** What takes minutes: the samples of `npm test`, at length and with other draws in each run. */
export default defineConfig({
  test: {
    include: ['test/long/*.long.ts'],
    testTimeout: 30 * 60_000,
  },
});
