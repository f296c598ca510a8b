import { dirname, sep } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import { DEFAULT_LIMITS, openInstance } from './engine.ts';

export interface DuckDbFiles {
  /** The absolute path of a database, which is only read. */
  readonly database: string | undefined;
  /** Absolute paths of files, with wildcards. Queries can reach no other folder than theirs. */
  readonly patterns: readonly string[];
  /** As DuckDB writes sizes, such as `1GB`. */
  readonly memoryLimit: string;
  /** Where queries that exceed their memory write. By default a folder of the temporary directory. */
  readonly temporaryFolder?: string;
}

/**
 * Opens the files of a team.
 * @throws UpstreamError if the database cannot be opened.
 */
export async function openDuckDbFiles({
  database,
  patterns,
  memoryLimit,
  temporaryFolder,
}: DuckDbFiles): Promise<DuckDBInstance> {
  const { threads } = DEFAULT_LIMITS;
  const instance = await openInstance(
    database,
    { memoryLimit, threads },
    {
      says: `${database} cannot be opened as a DuckDB database`,
      settings: temporaryFolder === undefined ? {} : { temp_directory: temporaryFolder },
    },
  );
  const connection = await instance.connect();
  const folders = patterns.map((pattern) => `'${folderOf(pattern).replaceAll("'", "''")}'`);
  await connection.run(`SET allowed_directories = [${folders.join(', ')}]`);
  // Timestamps without a zone are UTC, whatever the zone of the machine.
  await connection.run("SET GLOBAL TimeZone = 'UTC'");
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
  connection.closeSync();
  return instance;
}

/** The folder above the first wildcard. */
function folderOf(pattern: string): string {
  const wildcard = pattern.search(/[*?[{]/);
  const folder = dirname(wildcard < 0 ? pattern : `${pattern.slice(0, wildcard)}x`);
  return folder.endsWith(sep) ? folder : `${folder}${sep}`;
}
