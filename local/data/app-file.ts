import { rmSync } from 'node:fs';
import { chmod, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { readJson } from '../../functions/data-access/apps/reloading-file.ts';
import { SCHEMA_SQL } from '../../functions/data-access/engines/duckdb/schema.ts';
import { type AppSettings, appSettingsSchema } from '../../shared/access/app-settings.ts';
import { LAYOUT_VERSION, TABLE_NAMES } from '../../shared/contract/tables.ts';
import { isZone } from '../../shared/contract/zone.ts';
import { ConfigError, ConflictError, InvalidRequestError, isErrorCode } from '../../shared/runtime/errors.ts';
import type { DataSpan } from '../catch-up-spans.ts';
import { createText, exists, writeNew } from '../files.ts';
import { inDuckDb } from './duckdb.ts';
import { dayDigestsSql, HOURS_SQL } from './hour-sums.ts';

export function appPaths(dir: string, app: string) {
  return {
    data: join(dir, `${app}.duckdb`),
    settings: join(dir, `${app}.json`),
    incidents: join(dir, `${app}.incidents.json`),
    /** The new data file, while it is written. */
    next: join(dir, `${app}.duckdb.new`),
    /** Contains the id of the process that is writing the app. Deleted after the write. */
    lock: join(dir, `${app}.writing`),
  };
}

/** Validates settings and adds defaults. Throws `InvalidRequestError` for an invalid id or zone. */
export function settingsOf(settings: { id: string; name: string; zone?: string }): AppSettings {
  if (settings.zone && !isZone(settings.zone))
    throw new InvalidRequestError(`"${settings.zone}" is not an IANA time zone such as Europe/Berlin`);
  if (settings.id.toLowerCase() === 'keys')
    throw new InvalidRequestError(
      `"${settings.id}" cannot be an app id: its settings would overwrite keys.json, which holds the API keys`,
    );
  const parsed = appSettingsSchema.safeParse(settings);
  if (parsed.success) return parsed.data;
  if (parsed.error.issues.some((issue) => issue.path[0] === 'id'))
    throw new InvalidRequestError(
      `"${settings.id}" cannot be an app id: use up to 64 letters, digits, "_" and "-", beginning with a letter or digit`,
    );
  throw new InvalidRequestError(`The settings of app ${settings.id} are not valid`, { cause: parsed.error });
}

/** The settings of an app; `undefined` if it has none. Throws `ConfigError` if they are invalid. */
export async function loadSettings(dir: string, app: string): Promise<AppSettings | undefined> {
  const path = appPaths(dir, app).settings;
  if (!(await exists(path))) return undefined;
  return readJson(path, appSettingsSchema);
}

/**
 * Fills a new data file for an app and atomically replaces the old one. Open readers keep the old file. A failure
 * leaves the old file unchanged. Writes settings only if the app has none.
 *
 * Throws `ConflictError` while another process writes the same app.
 */
export async function replaceAppFile<Outcome>(
  dir: string,
  settings: AppSettings,
  fill: (connection: DuckDBConnection) => Promise<Outcome>,
): Promise<Outcome> {
  const paths = appPaths(dir, settings.id);
  // A folder that exists may be shared on purpose, or hold other files.
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await lock(paths.lock, settings.id);
  using _ = removedBySignal([...unfinished(paths.next), paths.lock]);
  try {
    await removeUnfinished(paths.next);
    const outcome = await writeDatabase(paths.next, fill);
    await chmod(paths.next, 0o600);
    await flushToDisk(paths.next);
    await createText(paths.settings, `${JSON.stringify(settings, null, 2)}\n`);
    await rename(paths.next, paths.data);
    return outcome;
  } finally {
    await removeUnfinished(paths.next);
    await rm(paths.lock, { force: true });
  }
}

/** `recorded_at` is device time, in epoch milliseconds. */
const SPAN_SQL = `
  SELECT min(recorded_at)::DOUBLE, max(recorded_at)::DOUBLE
  FROM (SELECT recorded_at FROM events UNION ALL SELECT recorded_at FROM sessions)`;

/** Times of the first and last event or session; `undefined` without data. Throws `ConfigError` for unreadable files. */
export async function dataSpan(dir: string, app: string): Promise<DataSpan | undefined> {
  const { data: path, settings } = appPaths(dir, app);
  if (!(await exists(path))) return undefined;
  if (!(await loadSettings(dir, app)))
    throw new ConfigError(
      `${settings} is missing: import the data of the app "${app}" again, with --replace`,
    );
  try {
    return await inDuckDb(
      async (connection) => {
        const rowOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRows()[0] ?? [];
        const [version] = await rowOf('SELECT version FROM layout');
        if (version !== LAYOUT_VERSION) throw new TypeError('another layout');
        const [firstAt, lastAt] = await rowOf(SPAN_SQL);
        return typeof firstAt === 'number' && typeof lastAt === 'number' ? { firstAt, lastAt } : undefined;
      },
      path,
      { access_mode: 'READ_ONLY' },
    );
  } catch (cause) {
    const isForbidden = String(cause).includes('Permission denied');
    const said = isForbidden
      ? 'this user may not read it; change its rights'
      : `it is damaged or of another version; import all files of the app "${app}" again, the first with --replace`;
    throw new ConfigError(`${path} cannot be read: ${said}`, { cause });
  }
}

function writeDatabase<Outcome>(path: string, fill: (connection: DuckDBConnection) => Promise<Outcome>) {
  const write = async (connection: DuckDBConnection) => {
    await connection.run(SCHEMA_SQL);
    const outcome = await fill(connection);
    await connection.run(HOURS_SQL);
    await connection.run(`CREATE TABLE day_digests AS ${dayDigestsSql(TABLE_NAMES)}`);
    await connection.run('CHECKPOINT');
    return outcome;
  };
  // Text dictionaries of this version make files a seventh smaller and comparing ids faster.
  return inDuckDb(write, path, { storage_compatibility_version: 'v1.5.0' });
}

/** Prevents an empty data file after a power cut: the rename could reach the disk before the content. */
async function flushToDisk(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.sync().finally(() => file.close());
}

async function lock(path: string, app: string): Promise<void> {
  try {
    await writeNew(path, String(process.pid));
  } catch (error) {
    if (!isErrorCode(error, 'EEXIST')) throw error;
    const holder = Number(await readFile(path, 'utf8'));
    if (isRunning(holder))
      throw new ConflictError(
        `App ${app} is being written by process ${holder}; wait for it, or delete ${path}`,
      );
    await writeFile(path, String(process.pid));
  }
}

function isRunning(processId: number): boolean {
  try {
    return processId > 0 && process.kill(processId, 0);
  } catch (error) {
    return isErrorCode(error, 'EPERM');
  }
}

const unfinished = (path: string): string[] => [path, `${path}.wal`, `${path}.tmp`];

async function removeUnfinished(path: string): Promise<void> {
  for (const file of unfinished(path)) await rm(file, { recursive: true, force: true });
}

/** Removes the files if Ctrl-C or SIGTERM ends the process. A command that handles these signals does so itself. */
function removedBySignal(files: string[]): Disposable {
  const signals = (['SIGINT', 'SIGTERM'] as const).filter((name) => process.listenerCount(name) === 0);
  const end = (signal: NodeJS.Signals) => {
    for (const file of files) rmSync(file, { recursive: true, force: true });
    process.removeListener(signal, end);
    process.kill(process.pid, signal);
  };
  for (const name of signals) process.on(name, end);
  return {
    [Symbol.dispose]() {
      for (const name of signals) process.removeListener(name, end);
    },
  };
}
