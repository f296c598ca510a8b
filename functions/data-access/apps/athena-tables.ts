import { randomUUID } from 'node:crypto';
import type { AthenaClientConfig } from '@aws-sdk/client-athena';
import type { TablesOf } from '../../../shared/config/sql-tables.ts';
import { systemClock as clock } from '../../../shared/runtime/clock.ts';
import { athena, connectAthena } from '../engines/athena/client.ts';
import { trinoEngine } from '../engines/trino/engine.ts';
import { trinoReader } from '../engines/trino/table-reader.ts';
import { engineOfRequest, type MappedTables } from './mapped-apps.ts';

/** Tables in Athena. `connection` overrides the settings of the AWS client. */
export function athenaTables(
  { workgroup, database, catalog, region, timeoutSeconds, apps }: TablesOf<'athena'>,
  connection: AthenaClientConfig = {},
): MappedTables {
  const client = connectAthena({ ...(region !== undefined && { region }), ...connection });
  const runnerFor = (timeoutMs: number) =>
    athena(
      client,
      // A result of an earlier minute may lack rows that have arrived since.
      { workgroup, database, catalog, reuseMinutes: 0, timeoutMs },
      { clock, newToken: randomUUID },
    );
  const timeoutMs = timeoutSeconds * 1000;
  return {
    apps,
    reader: trinoReader('Athena', runnerFor(timeoutMs)),
    engineOver: (source) => engineOfRequest(() => trinoEngine(source, { runnerFor, timeoutMs, clock })),
    close: () => client.destroy(),
  };
}
