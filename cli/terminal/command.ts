import { Command as PlainCommand } from 'commander';
import { helpHeading } from './arguments.ts';

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
