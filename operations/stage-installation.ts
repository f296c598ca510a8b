import type { Cloud } from '../shared/aws/cloud.ts';
import type { Stage } from '../shared/config/stage.ts';
import { ConfigError } from '../shared/runtime/errors.ts';

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
  return { url: await outputOf(name, { part: 'respond', output: 'Url' }, cloud), secret: access.secret };
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
