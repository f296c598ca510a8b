import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderOf, TABLE_NAMES, type TableName } from '../../../shared/analytics/tables.ts';
import { ConfigError, ConflictError, UpstreamError } from '../../../shared/runtime/errors.ts';
import { appPaths, exists } from '../app-file.ts';
import { type DayFile, type DayFiles, openDayFiles } from './day-files.ts';
import type { Lake, Stored } from './lake.ts';

/** Files to upload in parallel. Each is held in memory. */
const AT_ONCE = 4;

/** A correction may remove this many days. More suggest a folder without the full history. */
const FEW_DAYS = 3;

export interface PublishOptions {
  readonly dir: string;
  readonly app: string;
  readonly lake: Lake;
  /** Allows the removal of any number of days. */
  readonly remove?: boolean;
  readonly onProgress?: (done: number, of: number) => void;
}

export interface PublishReport {
  readonly written: number;
  readonly bytesWritten: number;
  readonly unchanged: number;
  readonly removed: number;
  /** UTC days, `YYYY-MM-DD`. */
  readonly firstDay: string;
  readonly lastDay: string;
}

/**
 * Syncs an app's data file to a lake: one object per table, app and UTC day of `recorded_at`. Unchanged
 * objects stay; missing days are removed after all others are written. Throws `ConfigError` without data, for
 * a file of another version and, unless `remove` is set, if more than three days or half of all would be
 * removed; then nothing is changed. Throws `ConflictError` if another process publishes the app. Throws
 * `UpstreamError` with the progress so far; a retry continues from there.
 */
export async function publishApp(options: PublishOptions): Promise<PublishReport> {
  const { dir, app } = options;
  const { data } = appPaths(dir, app);
  if (!(await exists(data))) throw new ConfigError(`App ${app} has no data in ${dir}: import some first`);
  const folder = await mkdtemp(join(tmpdir(), 'deltawatch-publish-'));
  try {
    const files = await openDayFiles(data, folder);
    try {
      return await publishFiles(files, options);
    } finally {
      files.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function publishFiles(
  files: DayFiles,
  { app, lake, remove = false, onProgress = () => {} }: PublishOptions,
): Promise<PublishReport> {
  const done = { written: 0, bytesWritten: 0, unchanged: 0, removed: 0 };
  const publish = async (file: DayFile, instead: Stored | undefined): Promise<void> => {
    const content = await files.write(file);
    if (createHash('md5').update(content).digest('hex') === instead?.md5) done.unchanged += 1;
    else {
      await lake.put(keyOf(app, file), content, instead);
      done.written += 1;
      done.bytesWritten += content.length;
    }
    onProgress(done.written + done.unchanged, files.all.length);
  };
  try {
    const there = await storedFiles(lake, app);
    const kept = new Set(files.all.map((file) => keyOf(app, file)));
    const gone = [...there.keys()].filter((key) => !kept.has(key));
    if (!remove) refuseToRemoveMany(app, gone, [...there.keys()]);
    await eachOf(files.all, AT_ONCE, (file) => publish(file, there.get(keyOf(app, file))));
    await lake.remove(gone);
    const days = files.all.map(({ day }) => day).sort();
    return { ...done, removed: gone.length, firstDay: days.at(0) ?? '', lastDay: days.at(-1) ?? '' };
  } catch (cause) {
    throw interrupted(
      cause,
      app,
      `${done.written + done.unchanged} of ${files.all.length} files are in place`,
    );
  }
}

function interrupted(cause: unknown, app: string, inPlace: string): unknown {
  const rest = `${inPlace}; run the same command again for the rest`;
  if (cause instanceof ConflictError)
    return new ConflictError(`another process is publishing ${app}: ${cause.message}; ${rest}`, { cause });
  if (!(cause instanceof UpstreamError)) return cause;
  return new UpstreamError(`${cause.message}; ${rest}`, { retryable: cause.retryable, cause });
}

const rootOf = (app: string, table: TableName): string => `${folderOf(table)}/app_id=${app}/`;
const keyOf = (app: string, { table, day }: DayFile): string =>
  `${rootOf(app, table)}day=${day}/data.parquet`;

function refuseToRemoveMany(app: string, gone: readonly string[], there: readonly string[]): void {
  const [less, all] = [daysIn(gone), daysIn(there)];
  if (less <= FEW_DAYS && less * 2 <= all) return;
  throw new ConfigError(
    `${less} of the ${all} days of ${app} that are published would be removed, because the folder does not have them ` +
      'complete: publish from the folder with the full history, or use `data publish --remove`',
  );
}

/** Number of distinct days in the keys. */
const daysIn = (keys: readonly string[]): number =>
  new Set(keys.map((key) => key.split('/').find((part) => part.startsWith('day=')))).size;

/** Published files by key. Ignores objects that other tools put there. */
async function storedFiles(lake: Lake, app: string): Promise<Map<string, Stored>> {
  const lists = await Promise.all(TABLE_NAMES.map((table) => lake.list(rootOf(app, table))));
  const ours = lists.flat().filter(({ key }) => /\/day=\d{4}-\d\d-\d\d\/data\.parquet$/.test(key));
  return new Map(ours.map((stored) => [stored.key, stored]));
}

/** Runs `work` for each item, `most` in parallel. After a failure it starts no more, waits for the rest and throws. */
async function eachOf<T>(items: readonly T[], most: number, work: (item: T) => Promise<void>): Promise<void> {
  let failed = false;
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) {
      if (failed) return;
      await work(item).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: most }, worker));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
