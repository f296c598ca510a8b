import { bad } from '../../local/colour.ts';
import { HINT, helpHeading } from './arguments.ts';
import type { Command } from './command.ts';
import { wrapped } from './wrapping.ts';

/** Makes a command, and its later subcommands, report wrong usage as an error in 80 columns. */
export function withUsage(command: Command): Command {
  return command
    .exitOverride()
    .helpOption('-h, --help', 'Show this help')
    .helpCommand('help [command]', 'Show help for a command')
    .configureHelp({ helpWidth: 80, minWidthToWrap: 30, styleTitle: helpHeading })
    .showHelpAfterError(HINT)
    .configureOutput({ outputError: (text, write) => write(errorText(text)) });
}

/** An error in 80 columns. Text after an empty line quotes files and stays as is. */
export function errorText(text: string): string {
  const [said = '', ...quoted] = text.split(/(?=\n\n)/);
  const lines = said.split('\n').flatMap((line) => (line === '' ? [''] : wrapped(line)));
  const whole = [lines.join('\n'), ...quoted].join('');
  return whole.startsWith(PREFIX) ? `${bad(PREFIX, process.stderr)}${whole.slice(PREFIX.length)}` : whole;
}

const PREFIX = 'error:';
