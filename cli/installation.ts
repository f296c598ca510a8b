import { type Command, Option } from 'commander';
import { type Installation, openInstallation, type Place } from '../local/installation.ts';
import type { Clock } from '../shared/runtime/clock.ts';

/** Adds the options by which a command is told what it talks to; its action gets them as a `Place`. */
export function ofInstallation(command: Command): Command {
  return command
    .option('--state <dir>', 'folder of the Deltawatch of this machine', '.deltawatch')
    .addOption(new Option('--table <name>', 'table of a stage in AWS instead, as its state stack tells'))
    .option('--profile <name>', 'profile of the AWS command line')
    .option('--region <name>', 'AWS region, where the profile has another');
}

/** Opens what the options name, does `work` with it, and lets it go however that ends. */
export async function withInstallation<T>(
  place: Place,
  clock: Clock,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const installation = await openInstallation(place, clock);
  try {
    return await work(installation);
  } finally {
    await installation.close();
  }
}
