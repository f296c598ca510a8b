import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { Clock } from '../shared/runtime/clock.ts';
import { ConfigError, isErrorCode } from '../shared/runtime/errors.ts';
import { openTable, type Table } from '../shared/store/dynamodb-table.ts';
import type { Stores } from '../shared/store/stores.ts';
import { storesIn } from '../shared/store/stores.ts';
import { loadTicked } from './catch-up.ts';
import { isHeldElsewhere, joinLocalTable, type LocalTable, openLocalTable } from './table.ts';
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

/** How long to wait for the lock of another command, and the polling interval. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 100;

/**
 * Opens the installation in `place`. On this machine it uses the table of the running process. If none is running,
 * it locks the folder until `close`. Throws `ConfigError` if the folder has no state, or stays locked for too long.
 */
export async function openInstallation(place: Place, clock: Clock): Promise<Installation> {
  const { state, table: name, profile, region } = place;
  if (name === undefined) {
    const { table, isRunning } = await openState(state, clock);
    const close = () => table.close();
    const local = installed('local', table);
    await requireRules(state, local.stores).catch(async (error: unknown) => {
      await close();
      throw error;
    });
    return { ...local, isRunning, description: `this machine, in ${state}`, close };
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

/** Throws `ConfigError` if earlier starts ran rules, and none are left: an emulator opens a damaged log as an empty table. */
export async function requireRules(state: string, { rules }: Pick<Stores, 'rules'>): Promise<void> {
  if ((await rules.loadCurrent()) || (await loadTicked(state)).size === 0) return;
  throw new ConfigError(
    `the table in ${join(state, 'table')} has lost its rules and alerts: restore ${state} from a backup, or delete ticks.json in it to replay the data again`,
  );
}

interface Opened {
  table: LocalTable;
  isRunning: boolean;
}

async function openState(state: string, clock: Clock): Promise<Opened> {
  const folder = join(state, 'table');
  await access(folder).catch((error: unknown) => {
    if (!isErrorCode(error, 'ENOENT')) throw error;
    throw new ConfigError(
      `there is no Deltawatch in ${state} yet: start one with "npx deltawatch start", or use --stage for one in AWS`,
    );
  });
  return patiently<Opened>(clock, {
    async open() {
      const table = await openLocalTable(clock, folder);
      // This process holds the lock, so a noted socket is stale.
      await forgetRunning(state).catch(async (error: unknown) => {
        await table.close();
        throw error;
      });
      return { table, isRunning: false };
    },
    async whileHeld() {
      const table = await joinRunning(state, clock);
      return table && { table, isRunning: true };
    },
  });
}

/**
 * Opens the table for a process that will run in `state`. The table uses `clock`; waiting for the lock uses
 * `present`. Throws `ConfigError` if another process runs there.
 */
export async function openToRun(state: string, clock: Clock, present: Clock): Promise<LocalTable> {
  return patiently(present, {
    open: () => openLocalTable(clock, join(state, 'table')),
    async whileHeld() {
      const running = await joinRunning(state, present);
      if (!running) return undefined;
      await running.close();
      throw new ConfigError(
        `a Deltawatch is already running in ${state}: stop it first, or use another folder with --state`,
      );
    },
  });
}

/** Opens the folder or, while another process locks it, tries `whileHeld`. Retries until the deadline. */
async function patiently<T>(
  clock: Clock,
  { open, whileHeld }: { open: () => Promise<T>; whileHeld: () => Promise<T | undefined> },
): Promise<T> {
  for (const deadline = clock.now() + PATIENCE_MS; ; await clock.sleep(PAUSE_MS)) {
    try {
      return await open();
    } catch (error) {
      if (!isHeldElsewhere(error)) throw error;
      const found = await whileHeld();
      if (found !== undefined) return found;
      if (clock.now() >= deadline) throw error;
    }
  }
}

const runningSchema = z.object({
  socketPath: z.string(),
  /** The URL of the page; a public one requires a sign-in. */
  url: z.string(),
  isPublic: z.boolean(),
});

/** What a running process publishes for other commands. */
export type RunningProcess = z.output<typeof runningSchema>;

const runningFile = (state: string): string => join(state, 'running.json');

/** Publishes the socket of this process for other commands. Remove it before the lock is released. */
export async function noteRunning(state: string, running: RunningProcess): Promise<void> {
  await writeFile(runningFile(state), `${JSON.stringify(running)}\n`, { mode: 0o600 });
}

/** The process that runs in the folder; `undefined` if none has published itself. */
export async function runningIn(state: string): Promise<RunningProcess | undefined> {
  try {
    return runningSchema.parse(JSON.parse(await readFile(runningFile(state), 'utf8')));
  } catch {
    return undefined;
  }
}

export async function forgetRunning(state: string): Promise<void> {
  await rm(runningFile(state), { force: true });
}

/** The table of the process that locks the folder; `undefined` if its socket is unknown or does not answer. */
async function joinRunning(state: string, clock: Clock): Promise<LocalTable | undefined> {
  const running = await runningIn(state);
  return running && joinLocalTable(running.socketPath, clock).catch(() => undefined);
}
