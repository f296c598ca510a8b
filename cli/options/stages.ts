import { type AwsAccess, type Cloud, createCloud } from '../../shared/aws/cloud.ts';
import { loadProject, type Project } from '../../shared/config/load-config.ts';
import type { Stage } from '../../shared/config/stage.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';
import type { Command } from '../terminal/command.ts';
import type { ProjectOptions } from './project.ts';

interface AccessOptions extends ProjectOptions {
  profile?: string;
  region?: string;
}

/** Options added by `ofStage`. */
export interface StageOptions extends AccessOptions {
  rules: string;
}

/** Adds the argument of a stage, and the options to reach it. */
export function ofStage(command: Command): Command {
  return withAccess(
    command
      .argument('<stage>', 'Stage of deltawatch.config.ts')
      .option('--rules <dir>', 'Folder of the rule files', 'rules'),
  );
}

export function withAccess(command: Command): Command {
  return command
    .option('--profile <name>', 'AWS CLI profile')
    .option('--region <name>', 'AWS region, for a stage without region; default: that of the profile');
}

/** A stage in its account and region, and how to reach it. */
export interface ReachedStage {
  stage: Stage & { account: string; region: string };
  access: AwsAccess;
  cloud: Cloud;
  project: Project;
}

/**
 * Finds a stage of the configuration. Throws `ConfigError` if the account of the credentials is not its own, and
 * `InvalidRequestError` for an unknown stage or another region than its own.
 */
export async function reachStage(name: string, options: AccessOptions): Promise<ReachedStage> {
  const project = options.project ?? (await loadProject(process.cwd()));
  const stage = stageNamed(project, name);
  const access = accessTo(stage, options);
  const cloud = createCloud(access);
  const place = await cloud.place();
  const { account = place.account } = stage;
  if (account !== place.account)
    throw new ConfigError(
      `the credentials are those of the account ${place.account}, but the stage "${name}" belongs to ${account} (account in deltawatch.config.ts): use --profile`,
    );
  return { stage: { ...stage, account, region: place.region }, access, cloud, project };
}

function stageNamed({ file, config }: Project, name: string): Stage {
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

function accessTo({ name, region }: Stage, options: AccessOptions): AwsAccess {
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

type Deployed = Pick<ReachedStage, 'stage' | 'cloud'>;

/** The DynamoDB table of a stage. Throws `ConfigError` if the stage is not deployed in this account and region. */
export async function tableOfStage(stage: Deployed): Promise<string> {
  return outputOf(stage, { part: 'state', output: 'TableName' });
}

/** The URL of the page of a stage. Throws `ConfigError` if the stage is not deployed in this account and region. */
export async function urlOfStage(stage: Deployed): Promise<string> {
  return outputOf(stage, { part: 'respond', output: 'Url' });
}

async function outputOf(
  { stage: { name: stage, account, region }, cloud }: Deployed,
  { part, output }: { part: string; output: string },
): Promise<string> {
  const name = stackName(stage, part);
  const value = (await cloud.findStack(name))?.outputs[output];
  if (value !== undefined) return value;
  throw new ConfigError(
    `there is no stack "${name}" in the account ${account}, region ${region}: deploy it with "npx deltawatch deploy ${stage}", or set --profile and --region`,
  );
}
