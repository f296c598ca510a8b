import { DEFAULT_CATALOG, type SqlTables, type TablesOf } from './sql-tables.ts';

/** check-rules has five minutes for all calls of a batch. */
const LONGEST_SECONDS = 120;

export type DeployableAthena = TablesOf<'athena'> & { locations: string[] };
/** Tables that a stage on AWS can read. */
export type DeployableTables = DeployableAthena | TablesOf<'postgres' | 'clickhouse' | 'trino' | 'posthog'>;

/** The tables if a stage on AWS can read them, or else why not. */
export function deployableTables(tables: SqlTables): DeployableTables | string {
  const { engine, timeoutSeconds } = tables;
  if (engine === 'duckdb')
    return 'cannot read files and DuckDB databases of this machine: name tables in another engine, or a service in dataAccess';
  if (timeoutSeconds > LONGEST_SECONDS)
    return `cannot wait for ${timeoutSeconds} seconds: set timeoutSeconds of figures.sql to at most ${LONGEST_SECONDS}`;
  if (engine !== 'athena') return tables;
  const { catalog, locations = [] } = tables;
  if (catalog !== DEFAULT_CATALOG)
    return `cannot read the catalog ${catalog}: use tables of ${DEFAULT_CATALOG}`;
  if (locations.length > 0) return { ...tables, locations };
  return 'may read no table: add "locations" to figures.sql, such as ["s3://company-lake/events/"]';
}

/** The secret with the URL of a server, or with the key of PostHog. */
export function secretOfTables(tables: SqlTables): string | undefined {
  if (tables.engine === 'posthog') return tables.keySecret;
  return 'urlSecret' in tables ? tables.urlSecret : undefined;
}

/** The region of tables that only a stage in the same one can read. */
export const regionOf = (tables: DeployableTables): string | undefined =>
  tables.engine === 'athena' ? tables.region : undefined;

/** The databases that tables may be in. Names of columns and views are not looked up. */
export function databasesOf({ database, databases, apps }: DeployableAthena): string[] {
  const named = Object.values(apps).flatMap(({ events, sessions, users, screen_visits }) =>
    [events, sessions, users, screen_visits].flatMap((each) =>
      typeof each?.table === 'string' ? each.table.split('.').slice(0, -1).slice(-1) : [],
    ),
  );
  return [...new Set([database, ...databases, ...named])];
}
