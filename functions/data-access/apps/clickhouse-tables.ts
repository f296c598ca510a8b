import type { TablesOf } from '../../../shared/config/sql-tables.ts';
import { connectClickHouse } from '../engines/clickhouse/client.ts';
import { clickHouseEngine } from '../engines/clickhouse/engine.ts';
import { clickHouseReader } from '../engines/clickhouse/table-reader.ts';
import { engineOfRequest, type MappedTables, type TableDeps } from './mapped-apps.ts';

export async function openClickHouseTables(
  { apps, timeoutSeconds, urlSecret, ...config }: TablesOf<'clickhouse'>,
  { readSecret, onLambda = false }: TableDeps,
): Promise<MappedTables> {
  const connections = onLambda ? 1 : config.connections;
  const settings = { url: await readSecret(urlSecret), connections, keepsIdle: !onLambda };
  const client = await connectClickHouse(settings);
  return {
    apps,
    reader: clickHouseReader(client),
    engineOver: (source) => engineOfRequest(() => clickHouseEngine(client, source, timeoutSeconds * 1000)),
    close: () => client.close(),
  };
}
