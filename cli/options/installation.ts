import { type Command, Option } from 'commander';
import { type Installation, openInstallation, type Place } from '../../local/installation.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError, UpstreamError } from '../../shared/runtime/errors.ts';

/** Adds the options by which a command is told what it talks to; its action gets them as a `Place`. */
export function ofInstallation(command: Command): Command {
  return command
    .option('--state <dir>', 'folder of the Deltawatch of this machine', '.deltawatch')
    .addOption(
      new Option('--table <name>', 'table of a stage in AWS instead, as its state stack tells').conflicts(
        'state',
      ),
    )
    .option('--profile <name>', 'profile of the AWS command line')
    .option('--region <name>', 'AWS region, where the profile has another');
}

/**
 * Opens what the options name, does `work` with it, and lets it go however that ends. Throws `InvalidRequestError` for
 * options that do not go together, and `ConfigError` where there is no such table or it may not be used.
 */
export async function withInstallation<T>(
  place: Place,
  clock: Clock,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  if (place.table === undefined && (place.profile ?? place.region) !== undefined)
    throw new InvalidRequestError('--profile and --region go with --table');
  const installation = await openInstallation(place, clock);
  try {
    return await work(installation);
  } catch (error) {
    throw place.table === undefined ? error : tableProblem(place.table, error);
  } finally {
    await installation.close();
  }
}

/** What a person at a terminal can do about it is said here: a function that is refused its table is another matter. */
function tableProblem(table: string, error: unknown): unknown {
  if (!(error instanceof UpstreamError) || !(error.cause instanceof Error)) return error;
  const cause = { cause: error };
  switch (error.cause.name) {
    case 'ResourceNotFoundException':
      return new ConfigError(
        `there is no table "${table}" in this account and region: the stack deltawatch-STAGE-state puts out its name`,
        cause,
      );
    case 'AccessDeniedException':
      return new ConfigError(
        `you may not do this with the table "${table}": docs/how-to/operating.md has the rights`,
        cause,
      );
    case 'ExpiredTokenException':
    case 'UnrecognizedClientException':
      return new ConfigError('AWS does not take your credentials: log in again, or name a --profile', cause);
    default:
      return error;
  }
}
