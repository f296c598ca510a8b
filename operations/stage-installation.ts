import type { Cloud } from '../shared/adapters/aws/cloud.ts';
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
  const name = stackName(stage, 'state');
  const table = (await cloud.findStack(name))?.outputs.TableName;
  if (table !== undefined) return table;
  const { account, region } = await cloud.place();
  throw new ConfigError(
    `there is no stack "${name}" in the account ${account}, region ${region}: deploy it with "npx deltawatch deploy ${stage}", or set --profile and --region`,
  );
}
