import { defineConfig } from 'vitest/config';

const STORES = [
  ...['alert-store', 'app-settings', 'delivery-log', 'key-store', 'rate-limiter', 'reading-store'],
  ...['rule-store', 'run-store', 'silence-store', 'test-notifications', 'used-links'],
];

/** The contracts of the stores, on DynamoDB Local instead of the emulator in this process. */
export default defineConfig({
  test: {
    name: 'dynamodb-local',
    root: new URL('../..', import.meta.url).pathname,
    include: STORES.map((store) => `test/contracts/${store}.test.ts`),
    globalSetup: ['test/dynamodb-local/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
