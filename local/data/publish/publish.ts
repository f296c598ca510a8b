import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { inBatchesOf } from '../../../shared/aws/requests.ts';
import {
  folderOf,
  LAYOUT_VERSION,
  ROWS_TABLES,
  TABLE_NAMES,
  type TableName,
} from '../../../shared/contract/tables.ts';
import { ConfigError, ConflictError, UpstreamError } from '../../../shared/runtime/errors.ts';
import { exists } from '../../files.ts';
import { appPaths } from '../app-file.ts';
import { type DayFiles, openDayFiles, type TableDay } from './day-files.ts';
import type { Lake, Stored } from './lake.ts';

/** Days to write in parallel. The file of each is held in memory. */
const AT_ONCE = 4;

/** A publication that is killed repeats at most the days of these. */
const BATCHES_PER_SAVE = 25;

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
  /** Numbers of files. */
  written: number;
  bytesWritten: number;
  unchanged: number;
  removed: number;
  /** UTC days, `YYYY-MM-DD`. */
  firstDay: string;
  lastDay: string;
}

/**
 * Syncs an app's data file to a lake: a file per table, app and UTC day of `recorded_at`. Reads and writes only
 * days whose rows or files have changed since the last publication; removes missing days after all others are
 * written. Throws `ConfigError` without data, for a file of another version and, unless `remove` is set, if more
 * than three days or half of all would be removed; then nothing is changed. Throws `ConflictError` if another
 * process publishes the app. Throws `UpstreamError` with the progress so far; a retry continues from there.
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
  const days = files.all.map(({ day }) => day).sort();
  const report: PublishReport = {
    ...{ written: 0, bytesWritten: 0, unchanged: 0, removed: 0 },
    ...{ firstDay: days.at(0) ?? '', lastDay: days.at(-1) ?? '' },
  };
  const { published: before, save } = await openRecord(lake, app);
  const current = new Map<string, PublishedDay>();
  const there = await storedFiles(lake, app);
  const keys = new Set(files.all.map((day) => keyOf(app, day)));
  const gone = [...there.keys()].filter((key) => !keys.has(key));
  if (!remove) refuseToRemoveMany(app, gone, [...there.keys()]);

  const publish = async (day: TableDay): Promise<void> => {
    const key = keyOf(app, day);
    const stored = there.get(key);
    const known = before.get(key);
    if (stored && known?.tag === stored.tag && known.digest === day.digest) {
      report.unchanged += 1;
      current.set(key, known);
    } else {
      const content = await files.write(day);
      const { tag } = await lake.put(key, content, stored);
      report.written += 1;
      report.bytesWritten += content.length;
      current.set(key, { digest: day.digest, tag });
    }
    onProgress(current.size, files.all.length);
  };
  try {
    for (const [i, batch] of inBatchesOf(AT_ONCE, [...files.all]).entries()) {
      const failed = (await Promise.allSettled(batch.map(publish))).find(
        ({ status }) => status === 'rejected',
      );
      if (failed?.status === 'rejected') throw failed.reason;
      if ((i + 1) % BATCHES_PER_SAVE === 0) await save(new Map([...before, ...current]));
    }
    await lake.remove(gone);
    report.removed += gone.length;
    await save(current);
  } catch (cause) {
    // What cannot be saved is written again by the next publication.
    await save(new Map([...before, ...current])).catch(() => {});
    throw interrupted(cause, app, `${current.size} of ${files.all.length} partitions are in place`);
  }
  return report;
}

/** The digest of the rows in the file of a day. Nothing is known about a file with another `tag`. */
const publishedDaySchema = z.object({ digest: z.string(), tag: z.string() });
type PublishedDay = z.infer<typeof publishedDaySchema>;
const recordSchema = z.record(z.string(), publishedDaySchema);

/** The record of an app's publication, by file. It only saves work: without it, or if it is damaged, each file is written. */
async function openRecord(lake: Lake, app: string) {
  const key = `v${LAYOUT_VERSION}/published/app_id=${app}.json`;
  const found = await lake.read(key);
  let text = Buffer.from(found?.content ?? []).toString();
  let stored: Stored | undefined = found?.stored;
  return {
    published: new Map(Object.entries(parsed(text))),
    async save(days: ReadonlyMap<string, PublishedDay>): Promise<void> {
      const now = JSON.stringify(Object.fromEntries([...days].sort(([a], [b]) => (a < b ? -1 : 1))));
      if (now === text) return;
      stored = await lake.put(key, Buffer.from(now), stored);
      text = now;
    },
  };
}

function parsed(text: string): z.infer<typeof recordSchema> {
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch {
    return {};
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
const keyOf = (app: string, { table, day }: TableDay): string =>
  `${rootOf(app, table)}day=${day}/data.parquet`;

function refuseToRemoveMany(app: string, gone: readonly string[], there: readonly string[]): void {
  const daysIn = (keys: readonly string[]): number => {
    const ofRows = keys.filter((key) => ROWS_TABLES.some((table) => key.startsWith(rootOf(app, table))));
    return new Set(ofRows.map((key) => key.split('/').find((part) => part.startsWith('day=')))).size;
  };
  const [less, all] = [daysIn(gone), daysIn(there)];
  if (less <= FEW_DAYS && less * 2 <= all) return;
  throw new ConfigError(
    `${less} of the ${all} days of ${app} that are published would be removed, because the folder does not have them ` +
      'complete: publish from the folder with the full history, or use `data publish --remove`',
  );
}

/** Published files by key. Ignores objects that other tools put there. */
async function storedFiles(lake: Lake, app: string): Promise<Map<string, Stored>> {
  const lists = await Promise.all(TABLE_NAMES.map((table) => lake.list(rootOf(app, table))));
  const ours = lists.flat().filter(({ key }) => /\/day=\d{4}-\d\d-\d\d\/data\.parquet$/.test(key));
  return new Map(ours.map((stored) => [stored.key, stored]));
}
