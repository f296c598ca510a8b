import { DuckDBInstance } from '@duckdb/node-api';
import { appPaths } from '../../local/data/app-file.ts';

export interface AppTable {
  readonly directory: string;
  readonly app: string;
  readonly name: string;
}

/** Writes rows of an app to a file, for another engine. `form`: the options of `COPY`. */
export async function copyOut(
  { directory, app }: AppTable,
  query: string,
  file: string,
  form: string,
): Promise<void> {
  const instance = await DuckDBInstance.create(appPaths(directory, app).data, {
    access_mode: 'READ_ONLY',
    memory_limit: '4GB',
    temp_directory: `${file}.tmp`,
  });
  const connection = await instance.connect();
  try {
    await connection.run(`COPY (${query}) TO '${file}' (${form})`);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
