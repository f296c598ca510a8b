import type { SqlTables } from '../../../shared/config/sql-tables.ts';
import type { Apps } from './apps.ts';
import type { TableDeps } from './mapped-apps.ts';

/**
 * The apps of a configuration, over the tables of a team. Looks up all tables and columns first. Needs only the packages
 * of its engine.
 * @throws ConfigError for a table or column that does not exist or fit.
 * @throws UpstreamError if the database cannot be reached.
 */
export async function openTables(config: SqlTables, deps: TableDeps): Promise<Apps> {
  switch (config.engine) {
    case 'postgres': {
      const { openPostgresTables } = await import('./postgres-tables.ts');
      return openPostgresTables(config, deps);
    }
    case 'clickhouse': {
      const { openClickHouseTables } = await import('./clickhouse-tables.ts');
      return openClickHouseTables(config, deps);
    }
    case 'trino': {
      const { openTrinoTables } = await import('./trino-tables.ts');
      return openTrinoTables(config, deps);
    }
    case 'duckdb': {
      const { openDuckDbTables } = await import('./duckdb-tables.ts');
      return openDuckDbTables(config, deps);
    }
    case 'athena': {
      const { openAthenaTables } = await import('./athena-tables.ts');
      return openAthenaTables(config);
    }
  }
}
