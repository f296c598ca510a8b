import type { Command } from 'commander';
import { afterEach, beforeEach, vi } from 'vitest';
import { noteRunning, openToRun } from '../../local/installation.ts';
import { terminalLogger } from '../../local/terminal.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import type { SqliteTable } from '../../shared/store/sqlite-table.ts';
import type { Stores } from '../../shared/store/stores.ts';
import { storesIn } from '../../shared/store/stores.ts';
import { type Folder, temporaryFolder } from '../fixtures/deltawatch.ts';
import { NOW } from '../functions/respond/desk.ts';

const URL_OF_PAGE = 'http://127.0.0.1:4100';

/** For each test, a Deltawatch on this machine that commands can find, and what they print. */
export function onRunning() {
  const clock = new ManualClock(NOW);
  let folder: Folder;
  let table: SqliteTable;
  let stores: Stores;
  let printed: string[] = [];
  let said: string[] = [];
  beforeEach(async () => {
    folder = await temporaryFolder();
    table = await openToRun(folder.path, clock);
    stores = storesIn(table, terminalLogger);
    await noteRunning(folder.path, { url: URL_OF_PAGE, isPublic: false });
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
    folder: () => folder.path,
    /** Runs the command and returns its stdout. */
    async run(command: Command, ...args: string[]): Promise<string> {
      printed = [];
      await silenced(command).parseAsync([...args, '--state', folder.path], { from: 'user' });
      return printed.join('\n');
    },
    /** What the command printed to stderr. */
    said: () => said.join('\n'),
  };
}

/** Makes usage errors throw instead of ending the process, and prints nothing about usage. */
function silenced(command: Command): Command {
  for (const inner of command.commands) silenced(inner);
  return command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
}
