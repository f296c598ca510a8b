import { type Command, Option } from 'commander';
import { type Installation, openInstallation, type Place } from '../../local/installation.ts';
import { appAlertKey } from '../../shared/alerts/app-alert.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError, UpstreamError } from '../../shared/runtime/errors.ts';
import { deployedOn, noSuchRule } from '../../workbench/find-rule.ts';
import { documentPath } from '../terminal/documents.ts';
import { STATE } from './project.ts';

/** Adds the options that select an installation; actions receive them as a `Place`. */
export function ofInstallation(command: Command): Command {
  return command
    .option('--state <dir>', 'Folder of the local Deltawatch', STATE)
    .addOption(
      new Option(
        '--table <name>',
        'Use a Deltawatch stage in AWS, by the name of its DynamoDB table (output TableName of the state stack)',
      ).conflicts('state'),
    )
    .addOption(
      new Option('--stage <name>', 'Use a stage of deltawatch.config.ts in AWS').conflicts([
        'state',
        'table',
      ]),
    )
    .option('--profile <name>', 'AWS CLI profile')
    .option('--region <name>', 'AWS region; default: that of the profile');
}

/**
 * Opens the installation in the options, runs `work` and closes it. Throws `InvalidRequestError` for
 * conflicting options, and `ConfigError` for a missing or forbidden table.
 */
export async function withInstallation<T>(
  place: Place,
  clock: Clock,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  if (place.table === undefined && (place.profile ?? place.region) !== undefined)
    throw new InvalidRequestError('--profile and --region require --stage or --table');
  const installation = await openInstallation(place, clock);
  try {
    return await work(installation);
  } catch (error) {
    throw place.table === undefined ? error : tableProblem(place.table, error);
  } finally {
    await installation.close();
  }
}

/** Errors with advice for users at a terminal. A Lambda without access to its table fails differently. */
function tableProblem(table: string, error: unknown): unknown {
  if (!(error instanceof UpstreamError) || !(error.cause instanceof Error)) return error;
  const cause = { cause: error };
  switch (error.cause.name) {
    case 'ResourceNotFoundException':
      return new ConfigError(
        `there is no table "${table}" in this account and region: use output TableName of the stack deltawatch-STAGE-state`,
        cause,
      );
    case 'AccessDeniedException':
      return new ConfigError(
        `access to the table "${table}" is denied: ${documentPath('how-to/operating.md')} lists the permissions`,
        cause,
      );
    case 'ExpiredTokenException':
    case 'UnrecognizedClientException':
      return new ConfigError('AWS rejected your credentials: log in again, or set --profile', cause);
    default:
      return error;
  }
}

/** Throws `InvalidRequestError` if no deployed rule and no app alert has this id. */
export async function requireRule(
  id: string,
  { stores, description }: Pick<Installation, 'stores' | 'description'>,
): Promise<void> {
  const deployed = (await stores.rules.loadCurrent())?.rules ?? [];
  const apps = deployed.map(({ app }) => appAlertKey(app).ruleId);
  const known = [...new Set([...deployed.map((rule) => rule.id), ...apps])];
  if (!known.includes(id)) throw noSuchRule(id, known, deployedOn({ description }));
}
