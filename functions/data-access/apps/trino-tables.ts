import type { TablesOf } from '../../../shared/config/sql-tables.ts';
import { systemClock as clock } from '../../../shared/runtime/clock.ts';
import { trino } from '../engines/trino/client.ts';
import { trinoEngine } from '../engines/trino/engine.ts';
import { trinoReader } from '../engines/trino/table-reader.ts';
import { engineOfRequest, type MappedTables, type TableDeps } from './mapped-apps.ts';

export async function openTrinoTables(
  { apps, catalog, schema, timeoutSeconds, urlSecret }: TablesOf<'trino'>,
  { readSecret }: Pick<TableDeps, 'readSecret'>,
): Promise<MappedTables> {
  const url = await readSecret(urlSecret);
  const runnerFor = (timeoutMs: number) => trino({ url, catalog, schema, timeoutMs });
  const timeoutMs = timeoutSeconds * 1000;
  return {
    apps,
    reader: trinoReader('Trino', runnerFor(timeoutMs)),
    engineOver: (source) => engineOfRequest(() => trinoEngine(source, { runnerFor, timeoutMs, clock })),
    close: () => {},
  };
}
