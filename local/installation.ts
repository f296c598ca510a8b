import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { openTable, type Table } from '../shared/adapters/dynamodb/requests.ts';
import { storesIn } from '../shared/adapters/dynamodb/stores.ts';
import type { Stores } from '../shared/adapters/stores.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { ConfigError } from '../shared/runtime/errors.ts';
import { isHeldElsewhere, joinLocalTable, type LocalTable, openLocalTable } from './table.ts';
import { terminalLogger } from './terminal.ts';

/** A Deltawatch that a command talks to: the one of a folder on this machine or, where one is named, of a table in AWS. */
export interface Place {
  /** The folder of `deltawatch start`. */
  state: string;
  table?: string | undefined;
  /** Profile of the AWS command line, and region, by which the table is reached. */
  profile?: string | undefined;
  region?: string | undefined;
}

export interface Installation {
  kind: 'local' | 'aws';
  /** Whether rules are evaluated: always in AWS, and on this machine while `deltawatch start` runs. */
  isRunning: boolean;
  stores: Stores;
  table: Table;
  /** In words that end a sentence: "the table deltawatch-staging". */
  description: string;
  close(): Promise<void>;
}

/** How long one waits for another command that holds the folder, and between two looks. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 100;

/**
 * Opens the installation in `place`. On this machine that is the table of the running process or, without one,
 * the folder, locked until `close`. Throws `ConfigError` where nothing was ever started, or the folder stays
 * locked for too long.
 */
export async function openInstallation(place: Place, clock: Clock): Promise<Installation> {
  const { state, table: name, profile, region } = place;
  if (name === undefined) {
    const { table, isRunning } = await openState(state, clock);
    const close = () => table.close();
    return { ...installed('local', table), isRunning, description: `this machine, in ${state}`, close };
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

interface Opened {
  table: LocalTable;
  isRunning: boolean;
}

async function openState(state: string, clock: Clock): Promise<Opened> {
  const folder = join(state, 'table');
  await access(folder).catch(() => {
    throw new ConfigError(
      `there is no Deltawatch in ${state} yet: start one with "npm start", or use --table for a stage in AWS`,
    );
  });
  return patiently<Opened>(clock, {
    async open() {
      const table = await openLocalTable(clock, folder);
      // Only the lock's owner may open the folder.
      await forgetSocket(state);
      return { table, isRunning: false };
    },
    async whileHeld() {
      const table = await joinRunning(state, clock);
      return table && { table, isRunning: true };
    },
  });
}

/**
 * Opens the table of a Deltawatch that is to run in `state`, by its own clock; waits for a command that holds the folder,
 * by that of the present. Throws `ConfigError` where one runs there already.
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

/** What `open` gives, or `whileHeld` where another process holds the folder; neither for a while, for that may end. */
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

const runningSchema = z.object({ socketPath: z.string() });

const runningFile = (state: string): string => join(state, 'running.json');

/** Lets commands know where the emulator of this process listens; to be forgotten before the folder is let go. */
export async function noteSocket(state: string, socketPath: string): Promise<void> {
  await writeFile(runningFile(state), `${JSON.stringify({ socketPath })}\n`, { mode: 0o600 });
}

export async function forgetSocket(state: string): Promise<void> {
  await rm(runningFile(state), { force: true });
}

/** The table of the process that holds the folder; `undefined` where it does not say where, or does not answer. */
async function joinRunning(state: string, clock: Clock): Promise<LocalTable | undefined> {
  try {
    const { socketPath } = runningSchema.parse(JSON.parse(await readFile(runningFile(state), 'utf8')));
    return await joinLocalTable(socketPath, clock);
  } catch {
    return undefined;
  }
}
