import type { TablesOf } from '../../../shared/config/sql-tables.ts';
import { connectClickHouse } from '../engines/clickhouse/client.ts';
import { clickHouseEngine } from '../engines/clickhouse/engine.ts';
import { clickHouseReader } from '../engines/clickhouse/table-reader.ts';
import type { Apps } from './apps.ts';
import { engineOfRequest, mappedApps, type TableDeps } from './mapped-apps.ts';

/** The apps of a configuration, over tables in ClickHouse. */
export async function openClickHouseTables(
  { apps, connections, timeoutSeconds, urlSecret }: TablesOf<'clickhouse'>,
  { readSecret }: Pick<TableDeps, 'readSecret'>,
): Promise<Apps> {
  const client = await connectClickHouse({ url: await readSecret(urlSecret), connections });
  return mappedApps({
    apps,
    reader: clickHouseReader(client),
    engineOver: (source) => engineOfRequest(() => clickHouseEngine(client, source, timeoutSeconds * 1000)),
    close: () => client.close(),
  });
}
