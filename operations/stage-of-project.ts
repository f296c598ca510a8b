import type { AwsAccess, AwsPlace } from '../shared/aws/cloud.ts';
import type { Project } from '../shared/config/load-config.ts';
import type { Stage } from '../shared/config/stage.ts';
import { ConfigError, InvalidRequestError } from '../shared/runtime/errors.ts';
import { didYouMean } from '../shared/text/nearest-words.ts';

/** The stage of this name. Throws `ConfigError` without any stages, `InvalidRequestError` for an unknown one. */
export function stageNamed({ file, config }: Project, name: string): Stage {
  const names = config.stages.map((stage) => stage.name);
  const stage = config.stages.find((each) => each.name === name);
  if (stage) return stage;
  if (file === undefined)
    throw new ConfigError(
      'there is no deltawatch.config.ts here or in a folder above: create one with "npx deltawatch init"',
    );
  if (names.length === 0) throw new ConfigError(`${file} has no stages: describe "${name}" under "stages"`);
  throw new InvalidRequestError(
    `there is no stage "${name}" in ${file}${didYouMean(name, names) || `; it has ${names.join(', ')}`}`,
  );
}

/** The stage in its account and region. Throws `ConfigError` if these are not those of the credentials. */
export function locatedStage(stage: Stage, place: AwsPlace): Stage {
  const { account = place.account } = stage;
  if (account !== place.account)
    throw new ConfigError(
      `the credentials are those of the account ${place.account}, but the stage "${stage.name}" belongs to ${account} (account in deltawatch.config.ts): use --profile`,
    );
  return { ...stage, account, region: place.region };
}

/** How to reach AWS for a stage. Throws `InvalidRequestError` for a region that is not that of the stage. */
export function accessTo({ name, region }: Stage, options: { profile?: string; region?: string }): AwsAccess {
  if (region !== undefined && options.region !== undefined && region !== options.region)
    throw new InvalidRequestError(
      `the stage "${name}" belongs to ${region} (region in deltawatch.config.ts), not to ${options.region}`,
    );
  const chosen = region ?? options.region;
  return {
    ...(options.profile !== undefined && { profile: options.profile }),
    ...(chosen !== undefined && { region: chosen }),
  };
}
