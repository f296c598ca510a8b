import { expect, test } from 'vitest';
import { configSchema } from '../../../shared/config/config.ts';
import { sqlTablesSchema } from '../../../shared/config/sql-tables.ts';
import { blocksIn, documentAt } from '../../docs/documents.ts';
import { configsIn, ORDERS_BY_PLATFORM, valuesIn } from '../../docs/sql-configs.ts';
import { sample } from '../../functions/data-access/sample-app.ts';
import { type AppsInput, postgres } from '../../functions/data-access/tables/databases.ts';

const page = documentAt('docs/how-to/sql-tables.md');
const [ofPostgres, ofDuckDb, ofClickHouse, ofTrino, ofAthena, onAws] = configsIn(page);

test('the configurations of sql-tables.md are valid', () => {
  const engines = [ofPostgres, ofDuckDb, ofClickHouse, ofTrino, ofAthena, onAws].map(
    (config) => sqlTablesSchema.parse(config).engine,
  );
  expect(engines).toEqual(['postgres', 'duckdb', 'clickhouse', 'trino', 'athena', 'athena']);
});

test('sql-tables.md shows a stage that reads the tables of its figures', () => {
  const { figures, stages } = configSchema.parse(valuesIn(page).at(-1));
  expect(figures?.kind).toBe('tables');
  expect(stages[0]).toMatchObject({ region: 'eu-central-1', dataAccess: { kind: 'tables' } });
});

test('sql-tables.md shows figures of its table, and the sentence about a wrong column', async () => {
  const database = await postgres();
  for (const { text } of blocksIn('sql', [page])) await database.run(text);
  const { apps } = ofPostgres as { apps: AppsInput };
  const service = await sample({ service: { apps: await database.open(apps) } });
  const { body } = await service.post('/api/data-access/v1/event/analytics', ORDERS_BY_PLATFORM);
  expect(body.data).toEqual([
    { device_platform: 'ios', event_count: 2, sum_event_custom_property_price: 55.5 },
    { device_platform: 'android', event_count: 1, sum_event_custom_property_price: 12 },
  ]);
  const wrong = structuredClone(apps);
  Object.assign(wrong.shop?.events.columns ?? {}, { user_id: 'custmer_no' });
  const [shown] = blocksIn('text', [page]);
  await expect(database.open(wrong)).rejects.toThrow(shown?.text.trimEnd());
  await service.close();
  await database.close();
});
