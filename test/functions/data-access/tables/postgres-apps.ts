import { tableApps } from '../../../../functions/data-access/apps/table-apps.ts';
import { type PostgresClient, postgresEngine } from '../../../../functions/data-access/engines/postgres.ts';
import { canonicalTables } from '../../../../functions/data-access/tables/canonical-tables.ts';
import { checkTables } from '../../../../functions/data-access/tables/check-tables.ts';
import { postgresReader } from '../../../../functions/data-access/tables/postgres-reader.ts';
import { appSettingsSchema } from '../../../../shared/access/app-settings.ts';
import type { SqlApp } from '../../../../shared/config/sql-tables.ts';

/** The app `shop` over tables in PostgreSQL. */
export async function postgresApps(client: PostgresClient, app: SqlApp, timeoutMs = 60_000) {
  const reader = postgresReader(client);
  const tables = await checkTables('shop', app, reader);
  const source = canonicalTables({ tables, dialect: reader.dialect });
  const { zone, dashboardUrl } = app;
  const settings = appSettingsSchema.parse({
    id: 'shop',
    name: 'Shop',
    zone,
    dashboardUrl,
    rateLimit: { enforce: false },
  });
  const shop = { settings, forRequest: () => postgresEngine(client, source, timeoutMs) };
  return tableApps(new Map([['shop', shop]]), () => {});
}
