import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import * as z from 'zod';
import { progressLine } from '../local/terminal.ts';
import { ConflictError, InvalidRequestError, isExplained } from '../shared/runtime/errors.ts';
import { missingPackage } from '../shared/runtime/optional-packages.ts';
import { COMMANDS } from './commands.ts';
import { applyProject } from './options/project.ts';
import { Command, errorText, HINT, withUsage } from './terminal/command.ts';
import { fileFault } from './terminal/file-errors.ts';
import { interruptedCode } from './terminal/interruption.ts';

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')));
const program = withUsage(new Command('deltawatch'))
  .description('Watches product analytics and notifies you when a number moves more than it should.')
  .version(version, '-V, --version', 'Show the version');
const [, , name = ''] = process.argv;
const isKnown =
  ['-V', '--version'].includes(name) || Object.values(COMMANDS).some((group) => Object.hasOwn(group, name));
for (const [heading, group] of Object.entries(COMMANDS))
  for (const [each, load] of Object.entries(group))
    if (each === name || !isKnown)
      program.addCommand((await load()).helpGroup(heading).copyInheritedSettings(program));

program.hook('preAction', (_, command) => applyProject(command));

// A reader such as "head" may close the pipe early; the command still finishes its work.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// The emulator of the table throws when it cannot write, such as on a full disk.
process.on('uncaughtException', (error) => {
  process.exit(report(error));
});

try {
  await program.parseAsync();
  process.exitCode = interruptedCode() ?? process.exitCode;
} catch (error) {
  process.exitCode = report(error);
}

/** Prints the error and returns the exit code: 1 failed, 2 wrong usage, or that of the signal. */
function report(thrown: unknown): number {
  progressLine().end();
  const error = missingPackage(thrown) ?? fileFault(thrown) ?? thrown;
  const interrupted = interruptedCode();
  if (interrupted !== undefined) {
    console.error('interrupted');
    return interrupted;
  }
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof InvalidRequestError) {
    console.error(`${errorText(`error: ${error.message}`)}\n${HINT}`);
    return 2;
  }
  const expected = isExplained(error) || error instanceof ConflictError;
  console.error(expected ? errorText(`error: ${error.message}`) : error);
  return 1;
}
