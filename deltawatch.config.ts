import { defineConfig } from 'deltawatch/config';

// The demo has no data access service on AWS, so its stages run their own.
const dataAccess = { kind: 'own', firstDay: '2024-01-01' } as const;

export default defineConfig({
  stages: {
    staging: {
      dataAccess,
      operators: 'deltawatch-staging@example.com',
      keepState: false,
      logDays: 7,
    },
    production: {
      dataAccess,
      operators: 'deltawatch@example.com',
      reservesConcurrency: true,
    },
  },
});
