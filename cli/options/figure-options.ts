import { type Command, Option } from 'commander';
import { wholeNumber } from '../terminal/arguments.ts';

/** Where this machine keeps what it has, the data among it. */
export const STATE = '.deltawatch';

/** What `withFigureOptions` adds to the options of a command. */
export interface FigureOptions {
  data?: string;
  service?: string;
  keySecret?: string;
  seed: number;
}

/** Adds the options that say where figures come from. */
export function withFigureOptions(command: Command): Command {
  return command
    .option('--data <dir>', `Folder of the data; default: ${STATE}/data, or else a generated demo shop`)
    .addOption(new Option('--service <url>', 'Query a data access service instead').conflicts('data'))
    .option('--key-secret <name>', 'Name of the secret with its API key')
    .option('--seed <number>', 'Seed of the generated demo shop', wholeNumber, 1);
}
