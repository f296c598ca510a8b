import { sharedSecrets } from '../../operations/stage-secrets.ts';
import type { AwsPlace } from '../../shared/aws/cloud.ts';
import type { Stage } from '../../shared/config/stage.ts';
import type { Routes } from '../../shared/notifications/routes.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import type { Ask } from '../terminal/confirm.ts';
import { wrapped } from '../terminal/wrapping.ts';

interface SharedParts {
  /** All stages of the configuration. */
  stages: Stage[];
  place: AwsPlace;
  ask: Ask;
  /** Whether the stage is not deployed yet. */
  isFirst: boolean;
}

/**
 * Throws `ConfigError` if a new stage would use the channels of another stage in its account and region, unless the user
 * wants that. A stage that is deployed already gets a note.
 */
export async function confirmSharedSecrets(
  { name }: Stage,
  routes: Routes,
  { stages, place, ask, isFirst }: SharedParts,
): Promise<void> {
  const beside = stages.filter((each) => each.name !== name && mayBeIn(each, place));
  const secrets = sharedSecrets(routes).map((each) => `"${each}"`);
  if (beside.length === 0 || secrets.length === 0) return;
  const others = beside.map((each) => each.name).join(' and ');
  const why = `their channels have the same ${secrets.length === 1 ? 'secret' : 'secrets'} ${secrets.join(' and ')} in ${place.region}. For a secret of each stage, write a name with $STAGE in routes.yaml, such as "deltawatch/$STAGE/slack"`;
  if (!isFirst)
    console.log(wrapped(`Note: ${name} notifies the same receivers as ${others}: ${why}.`).join('\n'));
  else if (!(await ask?.(`${name} would notify the same receivers as ${others}: ${why}. Deploy anyway?`)))
    throw new ConfigError(
      `nothing was deployed, because ${name} would notify the same receivers as ${others}: ${why}`,
    );
}

/** Without an account or region, a stage is where the credentials are. */
function mayBeIn({ account, region }: Stage, place: AwsPlace): boolean {
  return (account ?? place.account) === place.account && (region ?? place.region) === place.region;
}
