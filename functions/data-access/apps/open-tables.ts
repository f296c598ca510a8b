import { type AppSettings, appSettingsSchema } from '../../../shared/access/app-settings.ts';
import type { SqlApp, SqlTables } from '../../../shared/config/sql-tables.ts';
import type { TableSource } from '../engines/compiler.ts';
import { postgresEngine } from '../engines/postgres.ts';
import { connectPostgres } from '../engines/postgres-client.ts';
import { canonicalTables } from '../tables/canonical-tables.ts';
import { checkTables, type TableReader } from '../tables/check-tables.ts';
import { postgresReader } from '../tables/postgres-reader.ts';
import type { Apps } from './apps.ts';
import { type TableApp, tableApps } from './table-apps.ts';

/** The value of a secret. */
export type ReadSecret = (name: string) => Promise<string>;

type Sources = ReadonlyMap<string, TableSource>;

/**
 * The apps of a configuration, over the tables of a team. Looks up all tables and columns first.
 * @throws ConfigError for a table or column that does not exist or fit.
 * @throws UpstreamError if the database cannot be reached.
 */
export async function openTables(config: SqlTables, readSecret: ReadSecret): Promise<Apps> {
  switch (config.engine) {
    case 'postgres':
      return openPostgresTables(config, readSecret);
    case 'duckdb':
      throw new TypeError('not yet');
  }
}

async function openPostgresTables(
  config: Extract<SqlTables, { engine: 'postgres' }>,
  readSecret: ReadSecret,
): Promise<Apps> {
  const { connections, timeoutSeconds } = config;
  const client = await connectPostgres({ url: await readSecret(config.urlSecret), connections });
  try {
    const sources = await sourcesOf(config.apps, postgresReader(client));
    const forApp = (source: TableSource) => () => postgresEngine(client, source, timeoutSeconds * 1000);
    return tableApps(appsOf(config.apps, sources, forApp), () => void client.close());
  } catch (error) {
    await client.close();
    throw error;
  }
}

async function sourcesOf(apps: Readonly<Record<string, SqlApp>>, reader: TableReader): Promise<Sources> {
  const sources = new Map<string, TableSource>();
  for (const [id, app] of Object.entries(apps)) {
    const tables = await checkTables(id, app, reader);
    sources.set(id, canonicalTables({ tables, dialect: reader.dialect }));
  }
  return sources;
}

const appsOf = (
  apps: Readonly<Record<string, SqlApp>>,
  sources: Sources,
  forApp: (source: TableSource) => TableApp['forRequest'],
): Map<string, TableApp> =>
  new Map(
    [...sources].map(([id, source]) => [
      id,
      { settings: settingsOf(id, apps[id]), forRequest: forApp(source) },
    ]),
  );

/** Only this process reads the tables, within its own budget of calls, so the service limits nothing. */
const settingsOf = (id: string, app: SqlApp | undefined): AppSettings =>
  appSettingsSchema.parse({
    id,
    name: id,
    zone: app?.zone,
    dashboardUrl: app?.dashboardUrl,
    rateLimit: { enforce: false },
  });
