import type { DuckDBConnection } from '@duckdb/node-api';

/** Opens a database for `work`: a file, or by default one in memory. Its zone is UTC. */
export async function inDuckDb<T>(
  work: (connection: DuckDBConnection) => Promise<T>,
  path = ':memory:',
  options: Record<string, string> = {},
): Promise<T> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(path, options);
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
