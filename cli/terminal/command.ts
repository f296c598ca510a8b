import { styleText } from 'node:util';
import { Command as PlainCommand } from 'commander';
import { bad } from '../../local/colour.ts';
import { wrapped } from './wrapping.ts';

/** Follows every usage error. */
export const HINT = '(use --help for usage)';

/** A command whose help ends with examples. */
export class Command extends PlainCommand {
  readonly #examples: string[] = [];

  override createCommand(name?: string): Command {
    return new Command(name);
  }

  /** Adds an example to the help: what to type after "npx deltawatch", and what for. */
  example(command: string, purpose: string): this {
    if (this.#examples.length === 0)
      this.addHelpText('after', () => ['', helpHeading('Examples:'), ...this.#examples].join('\n'));
    this.#examples.push(`  # ${purpose}\n  npx deltawatch ${command}`);
    return this;
  }
}

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

/** Bold; commander removes it where the output is not a terminal. */
function helpHeading(text: string): string {
  return styleText('bold', text, { validateStream: false });
}

/** An error in 80 columns. Text after an empty line quotes files and stays as is. */
export function errorText(text: string): string {
  const [said = '', ...quoted] = text.split(/(?=\n\n)/);
  const lines = said.split('\n').flatMap((line) => (line === '' ? [''] : wrapped(line)));
  const whole = [lines.join('\n'), ...quoted].join('');
  return whole.startsWith(PREFIX) ? `${bad(PREFIX, process.stderr)}${whole.slice(PREFIX.length)}` : whole;
}

const PREFIX = 'error:';
