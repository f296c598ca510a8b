import { expect, test } from 'vitest';
import { configSchema } from '../../shared/config/config.ts';
import { documentAt } from './documents.ts';
import { valuesIn } from './sql-configs.ts';

test('the configuration of posthog.md reads the events of a project', () => {
  const [config] = valuesIn(documentAt('docs/how-to/posthog.md'));
  const { figures } = configSchema.parse(config);
  expect(figures).toMatchObject({
    kind: 'tables',
    tables: {
      engine: 'posthog',
      host: 'https://eu.posthog.com',
      project: 12345,
      apps: { shop: { zone: 'Europe/Berlin' } },
    },
  });
});
