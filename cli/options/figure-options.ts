import { type Command, Option } from 'commander';
import { wholeNumber } from '../terminal/arguments.ts';
import { type ProjectOptions, STATE } from './project.ts';

/** Options added by `withFigureOptions`. */
export interface FigureOptions extends ProjectOptions {
  data?: string;
  service?: string;
  keySecret?: string;
  seed: number;
}

/** Adds options for the source of figures. */
export function withFigureOptions(command: Command): Command {
  return command
    .option(
      '--data <dir>',
      `Folder of the data; default: figures of the configuration, ${STATE}/data, or a generated demo shop`,
    )
    .addOption(new Option('--service <url>', 'Query a data access service instead').conflicts('data'))
    .option('--key-secret <name>', 'Name of the secret that holds the API key of the service')
    .option('--seed <number>', 'Seed of the generated demo shop', wholeNumber, 1);
}
