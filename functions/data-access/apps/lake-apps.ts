import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import type { AppSettings } from '../../../shared/access/app-settings.ts';
import { folderOf, type TableName } from '../../../shared/contract/tables.ts';
import type { Clock } from '../../../shared/runtime/clock.ts';
import { DAY_MS, MINUTE_MS } from '../../../shared/units/durations.ts';
import { type DuckDbLimits, duckDbEngine } from '../engines/duckdb/engine.ts';
import { type Download, FileCache, type StoredFile } from '../engines/duckdb/file-cache.ts';
import { openDuckDbFiles } from '../engines/duckdb/files.ts';
import { type AppFiles, type DayFile, lakeSource } from '../engines/duckdb/lake-source.ts';
import { EMPTY_TABLES_SQL } from '../engines/duckdb/schema.ts';
import { fairQueue } from '../engines/fair-queue.ts';
import type { Apps } from './apps.ts';
import { Kept, keptFor, spansWithoutSums } from './kept.ts';
import { leaseOf, retire, withLease } from './lease.ts';

/** The storage of published files. Keys are relative to the folder with the layout of the lake. */
export interface LakeStorage {
  /** The objects whose key begins with `prefix`, sorted by key. */
  list(prefix: string): Promise<readonly StoredFile[]>;
  readonly download: Download;
}

export interface LakeAppsOptions {
  /** Undefined for an unknown app. */
  readonly settingsOf: (appId: string) => Promise<AppSettings | undefined>;
  readonly storage: LakeStorage;
  /** The first UTC day of data, `YYYY-MM-DD`. Older files are ignored. */
  readonly firstDay: string;
  /** For local copies of files. What it holds is deleted. */
  readonly folder: string;
  /** For all local copies together. */
  readonly maxFileBytes: number;
  readonly limits: DuckDbLimits;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The apps of a lake, read with DuckDB from local copies of the files that a query needs: every app that has settings,
 * with or without data. New files are found within a minute.
 */
export function lakeApps(options: LakeAppsOptions): Apps {
  const { storage, folder, maxFileBytes, firstDay, limits, clock } = options;
  // Lambda keeps its disk when the process crashes.
  rmSync(folder, { recursive: true, force: true });
  const copies = join(folder, 'files');
  const cache = new FileCache({ folder: copies, maxBytes: maxFileBytes, download: storage.download });
  const instances = new Kept(async () => leaseOf(await openEmpty(folder, copies, limits)), retire);
  // Before the first request, because Lambda starts a process faster than it answers. A failure is repeated then.
  instances.get().catch(() => {});
  const queue = fairQueue({ slots: limits.threads });
  const settings = keptFor(MINUTE_MS, clock, options.settingsOf);
  const hoursOf = spansWithoutSums(clock);

  const listings = keptFor(MINUTE_MS, clock, async (prefix) => {
    const listed = await storage.list(prefix);
    const lastDay = new Date(clock.now() + DAY_MS).toISOString().slice(0, 10);
    return listed
      .flatMap((file) => dayFileOf(file) ?? [])
      .filter(({ day }) => day >= firstDay && day <= lastDay);
  });
  const filesOf = (appId: string): AppFiles => {
    const prefixOf = (table: TableName) => `${folderOf(table)}/app_id=${appId}/`;
    return {
      list: (table) => listings.get(prefixOf(table)),
      relist: (table) => listings.drop(prefixOf(table)),
    };
  };

  return {
    settingsOf: settings.get,
    async withApp({ appId, keyId }, use) {
      const found = await settings.get(appId);
      if (found === undefined) return undefined;
      const hours = await hoursOf.get(appId);
      const answer = async (instance: DuckDBInstance) => {
        const withSource = lakeSource(filesOf(appId), cache);
        const opened = duckDbEngine(instance, { limits, queue, withSource, hours });
        await using engine = opened.forRequest(keyId);
        return await use({ settings: found, engine });
      };
      return { answer: await withLease(await instances.get(), answer, () => instances.drop()) };
    },
    close: () => instances.end(),
  };
}

const DAY_FILE = /\/day=(\d{4}-\d\d-\d\d)\/[^/]+\.parquet$/;

/** Undefined for other objects. */
function dayFileOf(file: StoredFile): DayFile | undefined {
  const day = DAY_FILE.exec(file.key)?.[1];
  return day === undefined ? undefined : { ...file, day };
}

/** A database in memory with empty tables, whose queries can read only the local copies. */
async function openEmpty(
  folder: string,
  copies: string,
  { memoryLimit }: DuckDbLimits,
): Promise<DuckDBInstance> {
  const patterns = [join(copies, '*.parquet')];
  // A former instance may still answer a request.
  const temporaryFolder = join(folder, 'temporary', randomUUID());
  const instance = await openDuckDbFiles({ database: undefined, patterns, memoryLimit, temporaryFolder });
  const connection = await instance.connect();
  await connection.run(EMPTY_TABLES_SQL);
  connection.closeSync();
  return instance;
}
