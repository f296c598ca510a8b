import { resolve } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import type { TablesOf } from '../../../shared/config/sql-tables.ts';
import type { TableSource } from '../engines/compiler.ts';
import { DEFAULT_LIMITS, duckDbEngine, type WithSource } from '../engines/duckdb/engine.ts';
import { openDuckDbFiles } from '../engines/duckdb/files.ts';
import { duckDbReader } from '../engines/duckdb/table-reader.ts';
import { fairQueue } from '../engines/fair-queue.ts';
import { Kept } from './kept.ts';
import { leaseOf, retire, withLease } from './lease.ts';
import { engineOfRequest, type MappedTables, type TableDeps, type WithEngine } from './mapped-apps.ts';

/** Files, or the tables of a DuckDB database. */
export async function openDuckDbTables(
  { database, memoryLimit, timeoutSeconds, apps }: TablesOf<'duckdb'>,
  { folder }: Pick<TableDeps, 'folder'>,
): Promise<MappedTables> {
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
  const instances = new Kept(async () => leaseOf(await openDuckDbFiles(files)), retire);
  const engineOver =
    (source: TableSource): WithEngine =>
    async (keyId, use) => {
      const withSource: WithSource = (_query, _signal, run) => run(source);
      const answer = (instance: DuckDBInstance) =>
        engineOfRequest(duckDbEngine(instance, { limits, queue, withSource }).forRequest)(keyId, use);
      return withLease(await instances.get(), answer, () => instances.drop());
    };
  return {
    apps,
    reader: duckDbReader((await instances.get()).of, folder),
    engineOver,
    close: () => instances.end(),
  };
}
