import type { Command } from 'commander';
import { HINT } from './arguments.ts';
import { wrapped } from './wrapping.ts';

/** Has a command, and those that are added to it from then on, answer wrong usage by an error, in 80 columns. */
export function withUsage(command: Command): Command {
  return command
    .exitOverride()
    .configureHelp({ helpWidth: 80 })
    .showHelpAfterError(HINT)
    .configureOutput({ outputError: (text, write) => write(errorText(text)) });
}

/** An error in 80 columns. What follows an empty line quotes files, and stands as it is. */
export function errorText(text: string): string {
  const [said = '', ...quoted] = text.split(/(?=\n\n)/);
  const lines = said.split('\n').flatMap((line) => (line === '' ? [''] : wrapped(line)));
  return [lines.join('\n'), ...quoted].join('');
}
