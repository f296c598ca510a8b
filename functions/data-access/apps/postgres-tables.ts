import type { TablesOf } from '../../../shared/config/sql-tables.ts';
import { connectPostgres } from '../engines/postgres/client.ts';
import { type PostgresClient, postgresEngine } from '../engines/postgres/engine.ts';
import { postgresReader } from '../engines/postgres/table-reader.ts';
import { engineOfRequest, type MappedTables, type TableDeps } from './mapped-apps.ts';

export async function openPostgresTables(
  config: TablesOf<'postgres'>,
  { readSecret, onLambda = false }: TableDeps,
): Promise<MappedTables> {
  const connections = onLambda ? 1 : config.connections;
  const settings = { url: await readSecret(config.urlSecret), connections, keepsIdle: !onLambda };
  return postgresTables(config, await connectPostgres(settings));
}

/** The same over an open client. */
export const postgresTables = (
  { apps, timeoutSeconds }: TablesOf<'postgres'>,
  client: PostgresClient,
): MappedTables => ({
  apps,
  reader: postgresReader(client),
  engineOver: (source) => engineOfRequest(() => postgresEngine(client, source, timeoutSeconds * 1000)),
  close: () => client.close(),
});
