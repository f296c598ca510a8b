import { DuckDBInstance } from '@duckdb/node-api';
import { DEFAULT_LIMITS } from '../../functions/data-access/engines/duckdb/engine.ts';
import { appPaths } from '../../local/data/app-file.ts';
import { APP_IDS, type AppId } from './apps.ts';
import type { AskSql } from './question.ts';

export interface RawSql {
  asking(app: AppId): AskSql;
  close(): void;
}

/** Opens the files of the service a second time in this process, with the same limits of memory and threads. */
export async function openRawSql(directory: string): Promise<RawSql> {
  const { memoryLimit, threads } = DEFAULT_LIMITS;
  const limits = { access_mode: 'READ_ONLY', memory_limit: memoryLimit, threads: String(threads) };
  const opened = await Promise.all(
    APP_IDS.map(async (id) => {
      const instance = await DuckDBInstance.create(appPaths(directory, id).data, limits);
      return { id, instance, connection: await instance.connect() };
    }),
  );
  return {
    asking(app) {
      const connection = opened.find(({ id }) => id === app)?.connection;
      if (connection === undefined) throw new TypeError(`no app ${app}`);
      return async (sql) => (await connection.runAndReadAll(sql)).getRows();
    },
    close() {
      for (const { connection, instance } of opened) {
        connection.closeSync();
        instance.closeSync();
      }
    },
  };
}
