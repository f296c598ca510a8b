import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { Clock } from '../shared/runtime/clock.ts';
import { ConfigError } from '../shared/runtime/errors.ts';
import { openTable } from '../shared/store/dynamodb-table.ts';
import { isBusy, openFailure } from '../shared/store/sqlite-faults.ts';
import { lostWrites } from '../shared/store/sqlite-log.ts';
import { openFile, openSqliteTable, type SqliteTable } from '../shared/store/sqlite-table.ts';
import type { Stores } from '../shared/store/stores.ts';
import { storesIn } from '../shared/store/stores.ts';
import type { Table } from '../shared/store/table.ts';
import { loadTicked } from './catch-up.ts';
import { exists, ownFolder } from './files.ts';
import { terminalLogger } from './terminal.ts';

/** The installation that a command uses: a folder on this machine or, if given, a table in AWS. */
export interface Place {
  /** The state folder of `deltawatch start`. */
  state: string;
  table?: string | undefined;
  /** AWS CLI profile and region of the table. */
  profile?: string | undefined;
  region?: string | undefined;
}

export interface Installation {
  kind: 'local' | 'aws';
  /** Whether rules are evaluated: always in AWS, and on this machine while `deltawatch start` runs. */
  isRunning: boolean;
  stores: Stores;
  table: Table;
  /** The end of a sentence: "the table deltawatch-staging". */
  description: string;
  close(): Promise<void>;
}

/** Opens the installation in `place`. Throws `ConfigError` if the folder has no state, or a damaged one. */
export async function openInstallation(place: Place, clock: Clock): Promise<Installation> {
  const { state, table: name, profile, region } = place;
  if (name === undefined) {
    if (!(await exists(tableFile(state))))
      throw new ConfigError(
        `there is no Deltawatch in ${state} yet: start one with "npx deltawatch start", or use --stage for one in AWS`,
      );
    const table = openOwn(state, clock);
    const close = async () => table.close();
    const local = installed('local', table);
    await requireRules(state, local.stores).catch(async (error: unknown) => {
      await close();
      throw error;
    });
    return { ...local, isRunning: await isRunningIn(state), description: `this machine, in ${state}`, close };
  }
  const client = new DynamoDBClient({
    ...(profile !== undefined && { profile }),
    ...(region !== undefined && { region }),
  });
  const table = openTable(name, client, clock);
  const close = async () => client.destroy();
  return { ...installed('aws', table), isRunning: true, description: `the table ${name}`, close };
}

function installed(kind: Installation['kind'], table: Table) {
  return { kind, table, stores: storesIn(table, terminalLogger) };
}

/** Throws `ConfigError` if earlier starts ran rules, and none are left: an empty file is an empty table. */
export async function requireRules(state: string, { rules }: Pick<Stores, 'rules'>): Promise<void> {
  if ((await rules.loadCurrent()) || (await loadTicked(state)).size === 0) return;
  throw new ConfigError(
    `the table ${tableFile(state)} has lost its rules and alerts: restore ${state} from a backup, or delete ticks.json in it to replay the data again`,
  );
}

/** Opens the table of the folder, and warns if its newest writes are lost. */
function openOwn(state: string, clock: Clock): SqliteTable {
  const lost = lostWrites(tableFile(state));
  const table = openSqliteTable(tableFile(state), clock);
  if (lost !== undefined) terminalLogger.warn(lost);
  return table;
}

export const tableFile = (state: string): string => join(state, 'table.sqlite');

/**
 * Opens the table for a process that will run in `state`, in a folder that only this user can open. Closing it lets another
 * process run there. Throws `ConfigError` if one does.
 */
export async function openToRun(state: string, clock: Clock): Promise<SqliteTable> {
  await ownFolder(state);
  const release = lockToRun(state);
  try {
    const table = openOwn(state, clock);
    return {
      ...table,
      close() {
        table.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

const lockFile = (state: string): string => join(state, 'running.lock');

/** Locks the folder until the process ends, even if it is killed. Other commands look at the lock only for a moment. */
function lockToRun(state: string): () => void {
  let lock: DatabaseSync | undefined;
  try {
    lock = openFile(lockFile(state));
    lock.exec('PRAGMA busy_timeout = 1000; BEGIN EXCLUSIVE');
    const locked = lock;
    return () => locked.close();
  } catch (error) {
    lock?.close();
    if (!isBusy(error)) throw openFailure(lockFile(state), error);
    throw new ConfigError(
      `a Deltawatch is already running in ${state}: stop it first, or use another folder with --state`,
    );
  }
}

/** Whether `deltawatch start` runs in the folder. */
async function isRunningIn(state: string): Promise<boolean> {
  if (!(await exists(lockFile(state)))) return false;
  let lock: DatabaseSync | undefined;
  try {
    lock = openFile(lockFile(state), { readOnly: true });
    lock.prepare('SELECT 1 FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw openFailure(lockFile(state), error);
  } finally {
    lock?.close();
  }
}

const runningSchema = z.object({
  /** The URL of the page; a public one requires a sign-in. */
  url: z.string(),
  isPublic: z.boolean(),
});

/** What a running process publishes for other commands. */
export type RunningProcess = z.output<typeof runningSchema>;

const runningFile = (state: string): string => join(state, 'running.json');

/** Publishes the page of this process for other commands. */
export async function noteRunning(state: string, running: RunningProcess): Promise<void> {
  await writeFile(runningFile(state), `${JSON.stringify(running)}\n`, { mode: 0o600 });
}

/** The process that runs in the folder; `undefined` if none does. A killed one leaves its file. */
export async function runningIn(state: string): Promise<RunningProcess | undefined> {
  if (!(await isRunningIn(state))) return undefined;
  try {
    return runningSchema.parse(JSON.parse(await readFile(runningFile(state), 'utf8')));
  } catch {
    return undefined;
  }
}

export async function forgetRunning(state: string): Promise<void> {
  await rm(runningFile(state), { force: true });
}
