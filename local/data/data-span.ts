import { ConfigError } from '../../shared/runtime/errors.ts';
import type { DataSpan } from '../catch-up-spans.ts';
import { appPaths, exists } from './app-file.ts';

/** `recorded_at` is device time, in epoch milliseconds. */
const SQL = `
  SELECT min(recorded_at)::DOUBLE, max(recorded_at)::DOUBLE
  FROM (SELECT recorded_at FROM events UNION ALL SELECT recorded_at FROM sessions)`;

/**
 * Times of the first and last event or session of an app; `undefined` without data. Throws `ConfigError` if the
 * file cannot be read.
 */
export async function dataSpan(dir: string, app: string): Promise<DataSpan | undefined> {
  const path = appPaths(dir, app).data;
  if (!(await exists(path))) return undefined;
  const { DuckDBInstance } = await import('@duckdb/node-api');
  try {
    const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
    try {
      const connection = await instance.connect();
      const [firstAt, lastAt] = (await connection.runAndReadAll(SQL)).getRows()[0] ?? [];
      connection.closeSync();
      if (typeof firstAt !== 'number' || typeof lastAt !== 'number') return undefined;
      return { firstAt, lastAt };
    } finally {
      instance.closeSync();
    }
  } catch (cause) {
    throw new ConfigError(
      `${path} cannot be read: import the data of the app "${app}" again, with --replace`,
      { cause },
    );
  }
}
