import { expect, test } from 'vitest';
import type { Apps } from '../../functions/data-access/apps/apps.ts';
import { catchUpFor, type StartFigures } from '../../local/start-figures.ts';
import { sqlTablesSchema } from '../../shared/config/sql-tables.ts';
import { UpstreamError } from '../../shared/runtime/errors.ts';
import { MONDAY, ruleNamed } from '../fixtures/builders.ts';

const RULES = [ruleNamed('sales')];

test('tables whose newest event cannot be read are not taken for tables without data', async () => {
  const failing: Apps = {
    settingsOf: async () => undefined,
    withApp: async () => {
      throw new UpstreamError('the database is starting', { retryable: true });
    },
    close: () => {},
  };
  const columns = { event_name: 'type', user_id: 'who', recorded_at: 'ts' };
  const apps = { demo: { events: { table: 'log', columns } } };
  const tables = sqlTablesSchema.parse({ engine: 'postgres', urlSecret: 'url', apps });
  const figures: StartFigures = { kind: 'tables', apps: failing, tables, describe: 'your tables' };
  const options = { rules: RULES, stateDir: 'nowhere', now: MONDAY, days: 3 };
  await expect(catchUpFor(figures, options)).rejects.toThrow(/the newest event of \S+ cannot be read/);
});
