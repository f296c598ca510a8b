import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { AppSettings } from '../../../shared/access/app-settings.ts';
import { LAYOUT_VERSION } from '../../../shared/contract/tables.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { ConfigError, ConflictError } from '../../../shared/runtime/errors.ts';
import { exists } from '../../files.ts';
import { appPaths, loadSettings, replaceAppFile, settingsOf } from '../app-file.ts';
import type { TimeFormat } from './conversions.ts';
import { fillFromStaged } from './derive-sessions.ts';
import { type FileFormat, formatOf, openEventFile } from './event-file.ts';
import type { Mapping } from './fields.ts';
import { type Staged, stageEvents } from './staging.ts';

export interface ImportOptions {
  file: string;
  /** Default: by the file name. */
  format?: FileFormat;
  dir: string;
  app: string;
  /** Time zone of a new app's days. Default: UTC. Times are always stored in UTC. */
  zone?: string;
  mapping: Mapping;
  timeFormat: TimeFormat;
  /** Whether to keep existing data. Required if the app has data. */
  existing?: 'append' | 'replace';
  /** Skips invalid lines instead of refusing the file. */
  skipBad: boolean;
  /** Time of the import. Later events are counted as future events; without it none are. */
  now?: Millis;
}

export interface ImportReport extends Staged {
  /** Totals of the app after the import. */
  app: { sessions: number; events: number; users: number; firstAt: Millis; lastAt: Millis };
}

/** DuckDB spills to disk above this. */
const MEMORY_LIMIT = '1GB';

/**
 * Imports a file of events into an app. Imports no records if one is invalid, unless `skipBad` is set. Derives
 * sessions for events without a session id. Derives missing event ids from file, mapping and line, so a file that
 * is appended twice is detected.
 *
 * Throws `ConfigError` for invalid records, or if file, app and options do not fit together. Throws
 * `InvalidRequestError` for an invalid app id, zone or format, and `ConflictError` while another process writes
 * the app.
 */
export async function importEvents(options: ImportOptions): Promise<ImportReport> {
  const { file, dir, app, mapping } = options;
  const { settings, earlier } = await checkTarget(options);
  const opened = await openEventFile(file, options.format ?? formatOf(file));
  const fingerprint = await fingerprintOf(file, mapping);

  return await replaceAppFile(dir, settings, async (connection) => {
    await connection.run(`SET memory_limit = '${MEMORY_LIMIT}'`);
    await attachEarlier(connection, earlier);
    const { now = Number.MAX_SAFE_INTEGER, timeFormat } = options;
    const staged = await stageEvents(connection, opened, { mapping, timeFormat, fingerprint, now });
    if (staged.bad > 0 && !options.skipBad) throw new ConfigError(refusal(file, staged));
    if (staged.bad === staged.records) throw new ConfigError(`${file} has no event that can be imported`);
    await fillFromStaged(connection);
    // Before the new file is in place: with an incidents file, imported data would count as generated and be replaced.
    await rm(appPaths(dir, app).incidents, { force: true });
    return { ...staged, app: await figuresOf(connection) };
  });
}

/** Checks file and app before reading: throws the errors an import would, changes nothing. */
export async function checkTarget(
  options: Pick<ImportOptions, 'file' | 'dir' | 'app' | 'zone' | 'existing'>,
): Promise<{ settings: AppSettings; earlier: string | undefined }> {
  if (!(await exists(options.file)) || (await stat(options.file)).isDirectory())
    throw new ConfigError(`There is no file ${options.file}`);
  return { settings: await settingsFor(options), earlier: await earlierData(options) };
}

async function settingsFor({
  dir,
  app,
  zone,
}: Pick<ImportOptions, 'dir' | 'app' | 'zone'>): Promise<AppSettings> {
  const fresh = settingsOf({ id: app, name: app, ...(zone && { zone }) });
  const current = await loadSettings(dir, app);
  if (current && zone && current.zone !== zone)
    throw new ConfigError(
      `App ${app} has the zone ${current.zone}; omit --zone, or edit ${appPaths(dir, app).settings}`,
    );
  return current ?? fresh;
}

/** The data file to append to, if any. Throws `ConfigError` if the app has data that the import may not change. */
async function earlierData({
  dir,
  app,
  existing,
}: Pick<ImportOptions, 'dir' | 'app' | 'existing'>): Promise<string | undefined> {
  const { data, incidents } = appPaths(dir, app);
  if (!(await exists(data)) || existing === 'replace') return undefined;
  if (!existing)
    throw new ConfigError(
      `App ${app} has data in ${dir}: add the file with --append, or replace the data with --replace`,
    );
  if (await exists(incidents))
    throw new ConfigError(
      `App ${app} in ${dir} holds generated data, which would overwrite the file when generated again: use another --app for the file`,
    );
  return data;
}

async function fingerprintOf(file: string, { columns, constants }: Mapping): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([[...columns], [...constants]]));
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex').slice(0, 12);
}

/** Attaches the app's existing data as `_earlier`, a name that no app can have. Without a file it is empty. */
async function attachEarlier(connection: DuckDBConnection, file: string | undefined): Promise<void> {
  const path = file?.replaceAll("'", "''") ?? ':memory:';
  try {
    await connection.run(`ATTACH '${path}' AS _earlier ${file ? '(READ_ONLY)' : ''}`);
  } catch (cause) {
    if (!String(cause).includes('lock')) throw cause;
    throw new ConflictError(`${file} is open for writing in another process: stop that process first`, {
      cause,
    });
  }
  if (file) return await checkLayout(connection, file);
  await connection.run('CREATE TABLE _earlier.events AS FROM events LIMIT 0');
  await connection.run('CREATE TABLE _earlier.imported (event_id VARCHAR, line BIGINT)');
}

async function checkLayout(connection: DuckDBConnection, file: string): Promise<void> {
  const sql = 'SELECT version FROM _earlier.layout LEFT JOIN (FROM _earlier.imported LIMIT 1) ON TRUE';
  const version = await connection.runAndReadAll(sql).then(
    (found) => found.getRows()[0]?.[0],
    () => undefined,
  );
  if (version !== LAYOUT_VERSION)
    throw new ConfigError(
      `${file} was written by another version of Deltawatch, so nothing can be added: import all files of the app again, the first with --replace`,
    );
}

function refusal(file: string, { records, bad, shown }: Staged): string {
  const count = (n: number) => n.toLocaleString('en-US');
  const lines = shown.map(({ line, problem }) => `  line ${line}: ${problem}`);
  if (bad > shown.length) lines.push(`  and ${count(bad - shown.length)} more`);
  return [
    `${basename(file)}: ${count(bad)} of ${count(records)} records cannot be imported, so none were: fix them, or add --skip-bad`,
    ...lines,
  ].join('\n');
}

async function figuresOf(connection: DuckDBConnection): Promise<ImportReport['app']> {
  const figures = await connection.runAndReadAll(`
    FROM events
    SELECT
      (FROM sessions SELECT count(*))::DOUBLE, count(*)::DOUBLE, count(DISTINCT user_id)::DOUBLE,
      min(recorded_at)::DOUBLE, max(recorded_at)::DOUBLE`);
  const [sessions = 0, events = 0, users = 0, firstAt = 0, lastAt = 0] = (figures.getRowsJS()[0] ?? []).map(
    Number,
  );
  return { sessions, events, users, firstAt, lastAt };
}
