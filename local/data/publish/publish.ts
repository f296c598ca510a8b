import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inBatchesOf } from '../../../shared/aws/requests.ts';
import { folderOf, ROWS_TABLES, TABLE_NAMES, type TableName } from '../../../shared/contract/tables.ts';
import { ConfigError, ConflictError, UpstreamError } from '../../../shared/runtime/errors.ts';
import { appPaths, exists } from '../app-file.ts';
import { type DayFiles, openDayFiles, type TableDay } from './day-files.ts';
import type { Lake, Stored } from './lake.ts';
import { openRecord, type PublishedDay } from './publication-record.ts';

/** Days to write in parallel. One file of each is held in memory. */
const AT_ONCE = 4;

/** A publication that is killed repeats at most these. */
const DAYS_PER_SAVE = 100;

/** About 150 MB of Parquet. */
const MAX_ROWS_PER_FILE = 2_000_000;

/** A correction may remove this many days. More suggest a folder without the full history. */
const FEW_DAYS = 3;

export interface PublishOptions {
  readonly dir: string;
  readonly app: string;
  readonly lake: Lake;
  /** Allows the removal of any number of days. */
  readonly remove?: boolean;
  /** Larger days are divided. */
  readonly maxRowsPerFile?: number;
  readonly onProgress?: (done: number, of: number) => void;
}

/** Numbers of files. */
interface Tally {
  written: number;
  bytesWritten: number;
  unchanged: number;
  removed: number;
}

export interface PublishReport extends Readonly<Tally> {
  /** UTC days, `YYYY-MM-DD`. */
  readonly firstDay: string;
  readonly lastDay: string;
}

/**
 * Syncs an app's data file to a lake: a folder per table, app and UTC day of `recorded_at`. Reads and writes only
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

async function publishFiles(files: DayFiles, options: PublishOptions): Promise<PublishReport> {
  const { app, lake, remove = false, maxRowsPerFile = MAX_ROWS_PER_FILE, onProgress = () => {} } = options;
  const done: Tally = { written: 0, bytesWritten: 0, unchanged: 0, removed: 0 };
  const current = new Map<string, PublishedDay>();
  const { days: before, save } = await openRecord(lake, app);
  const there = await storedFiles(lake, app);
  const folders = new Set(files.all.map((day) => folderOfDay(app, day)));
  const gone = [...there.keys()].filter((folder) => !folders.has(folder));
  if (!remove) refuseToRemoveMany(app, gone, [...there.keys()]);

  const publish = async (day: TableDay): Promise<void> => {
    const folder = folderOfDay(app, day);
    const former = { folder, before: before.get(folder), stored: there.get(folder) ?? new Map() };
    if (isUnchanged(day, former)) {
      done.unchanged += former.stored.size;
      current.set(folder, former.before);
    } else current.set(folder, await writeDay(day, former, { files, lake, maxRowsPerFile, done }));
    onProgress(current.size, files.all.length);
  };
  try {
    for (const batch of inBatchesOf(DAYS_PER_SAVE, [...files.all])) {
      await eachOf(batch, AT_ONCE, publish);
      await save(new Map([...before, ...current]));
    }
    const goneKeys = gone.flatMap((folder) => [...(there.get(folder)?.keys() ?? [])]);
    await lake.remove(goneKeys);
    done.removed += goneKeys.length;
    await save(current);
  } catch (cause) {
    // What cannot be saved is compared again by the next publication.
    await save(new Map([...before, ...current])).catch(() => {});
    throw interrupted(cause, app, `${current.size} of ${files.all.length} partitions are in place`);
  }
  const days = files.all.map(({ day }) => day).sort();
  return { ...done, firstDay: days.at(0) ?? '', lastDay: days.at(-1) ?? '' };
}

/** What a publication found of a day: its record, and its files by key. */
interface FormerDay {
  readonly folder: string;
  readonly before: PublishedDay | undefined;
  readonly stored: ReadonlyMap<string, Stored>;
}

function isUnchanged(
  day: TableDay,
  former: FormerDay,
): former is FormerDay & { readonly before: PublishedDay } {
  const { folder, before, stored } = former;
  return (
    before?.digest === day.digest &&
    before.files.length === stored.size &&
    before.files.every(({ tag }, i) => stored.get(keyOf(folder, i))?.tag === tag)
  );
}

async function writeDay(
  day: TableDay,
  { folder, before, stored }: FormerDay,
  to: { files: DayFiles; lake: Lake; maxRowsPerFile: number; done: Tally },
): Promise<PublishedDay> {
  const { files, lake, done } = to;
  const parts = await files.partsOf(day, to.maxRowsPerFile);
  const keys = parts.map((_, i) => keyOf(folder, i));
  // First, because their rows move to other files: a query may miss a row for a moment, but never counts it twice.
  const surplus = [...stored.keys()].filter((key) => !keys.includes(key));
  await lake.remove(surplus);
  done.removed += surplus.length;
  const published: PublishedDay['files'] = [];
  for (const [i, part] of parts.entries()) {
    const instead = stored.get(keyOf(folder, i));
    const known = before?.files[i];
    if (instead && known?.tag === instead.tag && known.digest === part.digest) {
      done.unchanged += 1;
      published.push(known);
    } else {
      const content = await files.write(day.table, part);
      const file = await putUnlessThere(lake, keyOf(folder, i), { content, instead });
      if (file === instead) done.unchanged += 1;
      else {
        done.written += 1;
        done.bytesWritten += content.length;
      }
      published.push({ tag: file.tag, digest: part.digest });
    }
  }
  return { digest: day.digest, files: published };
}

/** Returns `instead` if it has the content. */
async function putUnlessThere(
  lake: Lake,
  key: string,
  { content, instead }: { content: Uint8Array; instead: Stored | undefined },
): Promise<Stored> {
  if (instead && (await lake.holds(instead, content))) return instead;
  return lake.put(key, content, instead);
}

function interrupted(cause: unknown, app: string, inPlace: string): unknown {
  const rest = `${inPlace}; run the same command again for the rest`;
  if (cause instanceof ConflictError)
    return new ConflictError(`another process is publishing ${app}: ${cause.message}; ${rest}`, { cause });
  if (!(cause instanceof UpstreamError)) return cause;
  return new UpstreamError(`${cause.message}; ${rest}`, { retryable: cause.retryable, cause });
}

const rootOf = (app: string, table: TableName): string => `${folderOf(table)}/app_id=${app}/`;
const folderOfDay = (app: string, { table, day }: TableDay): string => `${rootOf(app, table)}day=${day}/`;
const keyOf = (folder: string, part: number): string =>
  `${folder}data${part === 0 ? '' : `-${part}`}.parquet`;

function refuseToRemoveMany(app: string, gone: readonly string[], there: readonly string[]): void {
  const ofRows = (folder: string) => ROWS_TABLES.some((table) => folder.startsWith(rootOf(app, table)));
  const [less, all] = [daysIn(gone.filter(ofRows)), daysIn(there.filter(ofRows))];
  if (less <= FEW_DAYS && less * 2 <= all) return;
  throw new ConfigError(
    `${less} of the ${all} days of ${app} that are published would be removed, because the folder does not have them ` +
      'complete: publish from the folder with the full history, or use `data publish --remove`',
  );
}

/** Number of distinct days in the folders. */
const daysIn = (folders: readonly string[]): number =>
  new Set(folders.map((folder) => folder.split('/').find((part) => part.startsWith('day=')))).size;

/** Published files by folder and key. Ignores objects that other tools put there. */
async function storedFiles(lake: Lake, app: string): Promise<Map<string, Map<string, Stored>>> {
  const lists = await Promise.all(TABLE_NAMES.map((table) => lake.list(rootOf(app, table))));
  const folders = new Map<string, Map<string, Stored>>();
  for (const stored of lists.flat()) {
    const folder = /^(.*\/day=\d{4}-\d\d-\d\d\/)data(-\d+)?\.parquet$/.exec(stored.key)?.[1];
    if (folder === undefined) continue;
    const files = folders.get(folder) ?? new Map<string, Stored>();
    folders.set(folder, files.set(stored.key, stored));
  }
  return folders;
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
