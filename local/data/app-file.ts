import { link, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { SCHEMA_SQL } from '../../functions/data-access/engines/duckdb-schema.ts';
import { type AppSettings, appSettingsSchema } from '../../shared/access/app-settings.ts';
import { ConfigError, ConflictError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { type RowBatch, writeRows } from './rows.ts';

/** Where the files of one app lie in a data directory. */
export function appPaths(dir: string, app: string) {
  return {
    data: join(dir, `${app}.duckdb`),
    settings: join(dir, `${app}.json`),
    incidents: join(dir, `${app}.incidents.json`),
    /** The next data file while it is being written. */
    next: join(dir, `${app}.duckdb.new`),
    /** Exists while a process, whose id it holds, writes the app. */
    lock: join(dir, `${app}.writing`),
  };
}

/** The settings as the service reads them, defaults filled in. Throws `InvalidRequestError` where they cannot be. */
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

/** The settings an app has; `undefined` where it has none. Throws `ConfigError` where they cannot be read. */
export async function loadSettings(dir: string, app: string): Promise<AppSettings | undefined> {
  const path = appPaths(dir, app).settings;
  if (!(await exists(path))) return undefined;
  try {
    return appSettingsSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    throw new ConfigError(`${path} does not hold the settings of an app`, { cause });
  }
}

/**
 * Fills a new data file for an app and puts it in the place of the old one in one step: a reader has the old
 * file until it reopens, and a failure leaves the old one as it was. Settings are written only where the app has none.
 *
 * Throws `ConflictError` while another process writes the same app.
 */
export async function replaceAppFile<Outcome>(
  dir: string,
  settings: AppSettings,
  fill: (connection: DuckDBConnection) => Promise<Outcome>,
): Promise<Outcome> {
  const paths = appPaths(dir, settings.id);
  await mkdir(dir, { recursive: true });
  await lock(paths.lock, settings.id);
  try {
    await removeUnfinished(paths.next);
    const outcome = await writeDatabase(paths.next, fill);
    await flushToDisk(paths.next);
    await writeIfAbsent(paths.settings, `${JSON.stringify(settings, null, 2)}\n`);
    await rename(paths.next, paths.data);
    return outcome;
  } finally {
    await removeUnfinished(paths.next);
    await rm(paths.lock, { force: true });
  }
}

/** Replaces an app's data with `batches`. */
export async function writeAppFile(
  dir: string,
  settings: AppSettings,
  batches: Iterable<RowBatch> | AsyncIterable<RowBatch>,
): Promise<void> {
  await replaceAppFile(dir, settings, (connection) => writeRows(connection, batches));
}

/** Writes a file in one step, over an older one if there is one. */
export async function replaceText(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function writeDatabase<Outcome>(
  path: string,
  fill: (connection: DuckDBConnection) => Promise<Outcome>,
) {
  // Its dictionaries of text make files a seventh smaller and ids quicker to tell apart.
  const instance = await DuckDBInstance.create(path, { storage_compatibility_version: 'v1.5.0' });
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    await connection.run(SCHEMA_SQL);
    const outcome = await fill(connection);
    await connection.run('CHECKPOINT');
    return outcome;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Without this a power cut after the rename could leave the app with an empty file. */
async function flushToDisk(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.sync().finally(() => file.close());
}

/** `link` refuses an existing target, which a rename would overwrite. */
async function writeIfAbsent(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  await writeFile(draft, text);
  try {
    await link(draft, path);
  } catch (error) {
    if (!isErrorCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function lock(path: string, app: string): Promise<void> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' });
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

async function removeUnfinished(path: string): Promise<void> {
  for (const file of [path, `${path}.wal`, `${path}.tmp`]) await rm(file, { recursive: true, force: true });
}

function isErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}
