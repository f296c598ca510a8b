import { Option } from 'commander';
import { type Installation, openInstallation, type Place } from '../../local/installation.ts';
import { appAlertKey } from '../../shared/alerts/app-alert.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError, UpstreamError } from '../../shared/runtime/errors.ts';
import { deployedOn, noSuchRule } from '../../workbench/find-rule.ts';
import type { Command } from '../terminal/command.ts';
import { documentPath } from '../terminal/documents.ts';
import { type ProjectOptions, STATE } from './project.ts';
import { reachStage, tableOfStage, withAccess } from './stages.ts';

/** Options added by `ofInstallation`: this machine or, with `stage`, a stage in AWS. */
export interface InstallationOptions extends ProjectOptions {
  state: string;
  stage?: string;
  profile?: string;
  region?: string;
}

export function ofInstallation(command: Command): Command {
  return withAccess(
    command
      .option('--state <dir>', 'Folder of the local Deltawatch', STATE)
      .addOption(
        new Option('--stage <name>', 'Use a stage of deltawatch.config.ts in AWS').conflicts('state'),
      ),
  );
}

/**
 * Opens the installation in the options, runs `work` and closes it. Throws `InvalidRequestError` for
 * conflicting options, and `ConfigError` for a missing stage or a forbidden table.
 */
export async function withInstallation<T>(
  options: InstallationOptions,
  clock: Clock,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const installation = await openInstallation(await placeOf(options), clock);
  try {
    return await work(installation);
  } catch (error) {
    const isDenied =
      error instanceof UpstreamError && error.cause instanceof Error && error.cause.name === DENIED;
    if (!isDenied) throw error;
    throw new ConfigError(
      `access to ${installation.description} is denied: ${documentPath('how-to/operating.md')} lists the permissions`,
      { cause: error },
    );
  } finally {
    await installation.close();
  }
}

/** A Lambda without access to its table fails differently from a user at a terminal. */
const DENIED = 'AccessDeniedException';

async function placeOf({ state, stage, ...options }: InstallationOptions): Promise<Place> {
  if (stage !== undefined) {
    const reached = await reachStage(stage, options);
    return { state, table: await tableOfStage(reached), ...reached.access };
  }
  if ((options.profile ?? options.region) !== undefined)
    throw new InvalidRequestError('--profile and --region require --stage');
  return { state };
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
