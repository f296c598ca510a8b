import { resolve } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import { type AppSettings, appSettingsSchema } from '../../../shared/access/app-settings.ts';
import type { SqlApp, SqlTables } from '../../../shared/config/sql-tables.ts';
import type { TableSource } from '../engines/compiler.ts';
import { DEFAULT_LIMITS, duckDbEngine } from '../engines/duckdb.ts';
import { openDuckDbFiles } from '../engines/duckdb-files.ts';
import { fairQueue } from '../engines/fair-queue.ts';
import { type PostgresClient, postgresEngine } from '../engines/postgres.ts';
import { connectPostgres } from '../engines/postgres-client.ts';
import { canonicalTables } from '../tables/canonical-tables.ts';
import { checkTables, type TableReader } from '../tables/check-tables.ts';
import { duckDbReader } from '../tables/duckdb-reader.ts';
import { postgresReader } from '../tables/postgres-reader.ts';
import type { Apps } from './apps.ts';
import { Kept } from './kept.ts';
import { leaseOf, retire, withLease } from './lease.ts';
import { type TableApp, tableApps } from './table-apps.ts';
import type { TableDeps } from './table-deps.ts';

type Sources = ReadonlyMap<string, TableSource>;

/**
 * The apps of a configuration, over the tables of a team. Looks up all tables and columns first.
 * @throws ConfigError for a table or column that does not exist or fit.
 * @throws UpstreamError if the database cannot be reached.
 */
export async function openTables(config: SqlTables, deps: TableDeps): Promise<Apps> {
  switch (config.engine) {
    case 'postgres':
      return openPostgresTables(config, deps);
    case 'duckdb':
      return openDuckDbTables(config, deps);
  }
}

type PostgresTables = Extract<SqlTables, { engine: 'postgres' }>;

async function openPostgresTables(config: PostgresTables, { readSecret }: TableDeps): Promise<Apps> {
  const { connections } = config;
  return postgresTables(
    config,
    await connectPostgres({ url: await readSecret(config.urlSecret), connections }),
  );
}

/** The same over an open client, which it closes. */
export async function postgresTables(config: PostgresTables, client: PostgresClient): Promise<Apps> {
  try {
    const sources = await sourcesOf(config.apps, postgresReader(client));
    const timeoutMs = config.timeoutSeconds * 1000;
    const forApp =
      (source: TableSource): TableApp['withEngine'] =>
      async (_, use) => {
        await using engine = postgresEngine(client, source, timeoutMs);
        return await use(engine);
      };
    return tableApps(appsOf(config.apps, sources, forApp), () => void client.close());
  } catch (error) {
    await client.close();
    throw error;
  }
}

async function openDuckDbTables(
  config: Extract<SqlTables, { engine: 'duckdb' }>,
  { folder }: TableDeps,
): Promise<Apps> {
  const { database, memoryLimit, timeoutSeconds, apps } = config;
  const patterns = Object.values(apps).flatMap(({ events, sessions, users, screen_visits }) =>
    [events, sessions, users, screen_visits].flatMap((table) => table?.files ?? []),
  );
  const files = {
    database: database && resolve(folder, database),
    patterns: patterns.map((pattern) => resolve(folder, pattern)),
    memoryLimit,
  };
  const limits = { ...DEFAULT_LIMITS, memoryLimit, timeoutMs: timeoutSeconds * 1000 };
  const queue = fairQueue({ slots: limits.threads });
  const instances = new Kept(async () => {
    const instance = await openDuckDbFiles(files);
    return leaseOf({ instance, close: () => instance.closeSync() });
  }, retire);
  try {
    const sources = await sourcesOf(apps, duckDbReader((await instances.get()).of.instance, folder));
    const forApp =
      (source: TableSource): TableApp['withEngine'] =>
      async (keyId, use) => {
        const answer = async ({ instance }: { instance: DuckDBInstance }) => {
          await using engine = duckDbEngine(instance, { limits, queue, source }).forRequest(keyId);
          return await use(engine);
        };
        return withLease(await instances.get(), answer, () => instances.drop());
      };
    return tableApps(appsOf(apps, sources, forApp), () => instances.end());
  } catch (error) {
    instances.end();
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
  forApp: (source: TableSource) => TableApp['withEngine'],
): Map<string, TableApp> =>
  new Map(
    [...sources].map(([id, source]) => [
      id,
      { settings: settingsOf(id, apps[id]), withEngine: forApp(source) },
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
