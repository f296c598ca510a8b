import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import { UpstreamError } from '../../../../shared/runtime/errors.ts';
import { DEFAULT_LIMITS, withoutSql } from './engine.ts';

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

/** Disk space for queries that exceed their memory. */
const MAX_DISK = '2GB';

/**
 * Opens the files of a team.
 * @throws UpstreamError if the database cannot be opened.
 */
export async function openDuckDbFiles({
  database,
  patterns,
  memoryLimit,
  temporaryFolder = join(tmpdir(), `deltawatch-${randomUUID()}`),
}: DuckDbFiles): Promise<DuckDBInstance> {
  const { DuckDBInstance: duckdb } = await import('./package.ts');
  const instance = await duckdb
    .create(database ?? ':memory:', {
      ...(database !== undefined && { access_mode: 'READ_ONLY' }),
      memory_limit: memoryLimit,
      threads: String(DEFAULT_LIMITS.threads),
      temp_directory: temporaryFolder,
      max_temp_directory_size: MAX_DISK,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    })
    .catch((error: unknown) => {
      throw new UpstreamError(`${database} cannot be opened as a DuckDB database`, {
        retryable: true,
        cause: withoutSql(error),
      });
    });
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
