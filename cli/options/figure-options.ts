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
    .option('--data <dir>', `folder of the data; by default ${STATE}/data, else the demo shop is generated`)
    .addOption(new Option('--service <url>', 'ask a data access service instead').conflicts('data'))
    .option('--key-secret <name>', 'name of the secret that holds its API key')
    .option('--seed <number>', 'which demo shop, where it is generated', wholeNumber, 1);
}
