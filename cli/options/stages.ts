import type { AwsAccess, AwsPlace, Cloud } from '../../shared/aws/cloud.ts';
import type { Project } from '../../shared/config/load-config.ts';
import type { Stage } from '../../shared/config/stage.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';

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

/** The stacks of a stage. */
export function stacksOf({ name, dataAccess: { kind } }: Stage): string[] {
  const parts = {
    own: ['data', 'data-access'],
    tables: ['tables'],
    external: [],
  };
  return ['state', 'respond', 'alerting', ...parts[kind]].map((part) => stackName(name, part));
}

/** The name of a stack of a stage. `part` is `state`, `respond`, `alerting`, `data` or `data-access`. */
export function stackName(stage: string, part: string): string {
  return `deltawatch-${stage}-${part}`;
}

/** The DynamoDB table of a stage. Throws `ConfigError` if the stage is not deployed in this account and region. */
export async function tableOfStage(
  stage: string,
  cloud: Pick<Cloud, 'findStack' | 'place'>,
): Promise<string> {
  return outputOf(stage, { part: 'state', output: 'TableName' }, cloud);
}

/** The URL of the page of a stage. Throws `ConfigError` if the stage is not deployed in this account and region. */
export async function urlOfStage(stage: string, cloud: Pick<Cloud, 'findStack' | 'place'>): Promise<string> {
  return outputOf(stage, { part: 'respond', output: 'Url' }, cloud);
}

/**
 * The URL of the page of a stage, and the name of the secret that signs its sessions. Throws `ConfigError` if the stage
 * is not deployed in this account and region, or if its page has no sessions.
 */
export async function pageOfStage(
  { name, respond: { access } }: Stage,
  cloud: Pick<Cloud, 'findStack' | 'place'>,
): Promise<{ url: string; secret: string }> {
  if (access.kind !== 'session')
    throw new ConfigError(
      `no link signs in to the page of the stage "${name}": its access is "${access.kind}" (respond.access in deltawatch.config.ts)`,
    );
  return { url: await urlOfStage(name, cloud), secret: access.secret };
}

async function outputOf(
  stage: string,
  { part, output }: { part: string; output: string },
  cloud: Pick<Cloud, 'findStack' | 'place'>,
): Promise<string> {
  const name = stackName(stage, part);
  const value = (await cloud.findStack(name))?.outputs[output];
  if (value !== undefined) return value;
  const { account, region } = await cloud.place();
  throw new ConfigError(
    `there is no stack "${name}" in the account ${account}, region ${region}: deploy it with "npx deltawatch deploy ${stage}", or set --profile and --region`,
  );
}
