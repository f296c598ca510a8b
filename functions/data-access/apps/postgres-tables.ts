import type { TablesOf } from '../../../shared/config/sql-tables.ts';
import { connectPostgres } from '../engines/postgres/client.ts';
import { type PostgresClient, postgresEngine } from '../engines/postgres/engine.ts';
import { postgresReader } from '../engines/postgres/table-reader.ts';
import type { Apps } from './apps.ts';
import { engineOfRequest, mappedApps, type TableDeps } from './mapped-apps.ts';

/** The apps of a configuration, over tables in PostgreSQL. */
export async function openPostgresTables(
  config: TablesOf<'postgres'>,
  { readSecret }: Pick<TableDeps, 'readSecret'>,
): Promise<Apps> {
  const { connections } = config;
  return postgresTables(
    config,
    await connectPostgres({ url: await readSecret(config.urlSecret), connections }),
  );
}

/** The same over an open client, which it closes. */
export function postgresTables(
  { apps, timeoutSeconds }: TablesOf<'postgres'>,
  client: PostgresClient,
): Promise<Apps> {
  return mappedApps({
    apps,
    reader: postgresReader(client),
    engineOver: (source) => engineOfRequest(() => postgresEngine(client, source, timeoutSeconds * 1000)),
    close: () => client.close(),
  });
}
