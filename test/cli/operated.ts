import { join } from 'node:path';
import type { Command } from 'commander';
import { afterEach, beforeEach, vi } from 'vitest';
import { noteSocket } from '../../local/installation.ts';
import { type LocalTable, openLocalTable } from '../../local/table.ts';
import { terminalLogger } from '../../local/terminal.ts';
import { storesIn } from '../../shared/adapters/dynamodb/stores.ts';
import type { Stores } from '../../shared/adapters/stores.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { type Folder, temporaryFolder } from '../fixtures/deltawatch.ts';
import { NOW } from '../functions/respond/desk.ts';

/** A Deltawatch that runs on this machine, as commands find it, and what they print; anew for each test. */
export function onRunning() {
  const clock = new ManualClock(NOW);
  let folder: Folder;
  let table: LocalTable;
  let stores: Stores;
  let printed: string[] = [];
  let said: string[] = [];
  beforeEach(async () => {
    folder = await temporaryFolder();
    table = await openLocalTable(clock, join(folder.path, 'table'));
    stores = storesIn(table, terminalLogger);
    await noteSocket(folder.path, table.socketPath);
    [printed, said] = [[], []];
    vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
    vi.spyOn(console, 'error').mockImplementation((text: string) => void said.push(text));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    process.exitCode = undefined;
    await table.close();
    await folder[Symbol.asyncDispose]();
  });
  return {
    clock,
    stores: () => stores,
    /** A folder for whatever a test needs. */
    folder: () => folder.path,
    /** Runs it, and gives what it printed to stdout. */
    async run(command: Command, ...args: string[]): Promise<string> {
      printed = [];
      await silenced(command).parseAsync([...args, '--state', folder.path], { from: 'user' });
      return printed.join('\n');
    },
    /** What went to stderr. */
    said: () => said.join('\n'),
  };
}

/** Throws where it would end the process, and keeps what it says of usage to itself. */
function silenced(command: Command): Command {
  for (const inner of command.commands) silenced(inner);
  return command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
}
