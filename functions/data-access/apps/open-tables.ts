import type { SqlTables } from '../../../shared/config/sql-tables.ts';
import type { Apps } from './apps.ts';
import { type MappedTables, mappedApps, type TableDeps } from './mapped-apps.ts';

/**
 * The apps of a configuration, over the tables of a team. Needs only the packages of its engine.
 * @throws ConfigError for a table or column that does not exist or fit.
 * @throws UpstreamError if the database cannot be reached.
 */
export const openTables = async (config: SqlTables, deps: TableDeps): Promise<Apps> =>
  mappedApps(await tablesOf(config, deps), deps.onFailure);

async function tablesOf(config: SqlTables, deps: TableDeps): Promise<MappedTables> {
  switch (config.engine) {
    case 'postgres':
      return (await import('./postgres-tables.ts')).openPostgresTables(config, deps);
    case 'clickhouse':
      return (await import('./clickhouse-tables.ts')).openClickHouseTables(config, deps);
    case 'trino':
      return (await import('./trino-tables.ts')).openTrinoTables(config, deps);
    case 'posthog':
      return (await import('./posthog-tables.ts')).openPostHogTables(config, deps);
    case 'duckdb':
      return (await import('./duckdb-tables.ts')).openDuckDbTables(config, deps);
    case 'athena':
      return (await import('./athena-tables.ts')).athenaTables(config);
  }
}
