import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import * as z from 'zod';
import { withUsage } from './usage.ts';

/** `deltawatch` without commands. */
export function emptyProgram(): Command {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')));
  return withUsage(new Command('deltawatch'))
    .description('Watches product analytics and notifies you when a number moves more than it should.')
    .version(version, '-V, --version', 'Show the version');
}

/** Headings of the help with their commands. */
export type Commands = Record<string, Record<string, () => Promise<Command>>>;
