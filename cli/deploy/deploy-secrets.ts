import type { Cloud, SecretState } from '../../shared/aws/cloud.ts';
import { secretAt } from '../../shared/channels/kind.ts';
import { secretsOf } from '../../shared/channels/kinds.ts';
import type { Stage } from '../../shared/config/stage.ts';
import type { Routes } from '../../shared/notifications/routes.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { counted } from '../../shared/text/counted.ts';
import type { Ask, AskHidden } from '../terminal/confirm.ts';
import { documentPath } from '../terminal/documents.ts';
import { wrapped } from '../terminal/wrapping.ts';

export interface SecretParts {
  cloud: Pick<Cloud, 'secretState' | 'createSecret'>;
  /** Without a question, `undefined`: keys are generated, and other secrets must exist. */
  ask: Ask;
  askHidden: AskHidden;
  /** A random key. */
  newKey: () => string;
  /** Once it is aborted, no secret is created. */
  signal: AbortSignal;
}

/**
 * Creates the missing secrets of a stage, as far as the user agrees. Returns those that can only be made after the
 * deployment. Throws `ConfigError` if others are still missing.
 */
export async function completeSecrets(
  stage: Stage,
  routes: Routes,
  parts: SecretParts,
): Promise<NeededSecret[]> {
  const missing = await missingSecrets(neededSecrets(stage, routes), parts.cloud);
  const of = (origin: NeededSecret['origin']) => missing.filter((each) => each.origin === origin);
  const [generated, asked] = [of('generate'), of('ask')];
  if (missing.length > 0) {
    const is = missing.length === 1 ? 'is' : 'are';
    console.log(`${counted(missing.length, 'secret')} of ${stage.name} ${is} missing in Secrets Manager:`);
    for (const { name, purpose } of missing) console.log(wrapped(`  ${name}: ${purpose}`, 4).join('\n'));
  }
  // Before anything is created.
  if (!parts.ask && asked.length > 0) throw stillMissing(asked, stage);
  for (const each of generated) await create(each, parts.newKey(), stage, parts);
  for (const each of asked) {
    const value = (await parts.askHidden(`${each.name}: ${each.purpose}`))?.trim();
    if (!value) throw stillMissing([each], stage);
    await create(each, value, stage, parts);
  }
  return of('later');
}

async function missingSecrets(needed: NeededSecret[], cloud: SecretParts['cloud']): Promise<NeededSecret[]> {
  const states = await Promise.all(
    needed.map(
      async (secret): Promise<[NeededSecret, SecretState]> => [secret, await cloud.secretState(secret.name)],
    ),
  );
  const deleted = states.find(([, state]) => state === 'deleted')?.[0];
  if (deleted)
    throw new ConfigError(
      `the secret "${deleted.name}" is scheduled for deletion: restore it with "aws secretsmanager restore-secret --secret-id ${deleted.name}"`,
    );
  return states.flatMap(([secret, state]) => (state === 'missing' ? [secret] : []));
}

async function create(
  { name, purpose }: NeededSecret,
  value: string,
  stage: Stage,
  { cloud, signal }: SecretParts,
): Promise<void> {
  signal.throwIfAborted();
  await cloud.createSecret({ name, value, description: `Deltawatch (${stage.name}): ${purpose}` });
  console.log(`Created ${name}.`);
}

function stillMissing(secrets: NeededSecret[], { name }: Stage): ConfigError {
  const names = secrets.map((each) => `"${each.name}"`).join(', ');
  return new ConfigError(
    `nothing was deployed, because the secret ${names} is missing: run "npx deltawatch deploy ${name}" at a terminal, or create it as ${documentPath('how-to/deploying.md')} shows`,
  );
}

export interface NeededSecret {
  name: string;
  /** What its value is, such as "the webhook or key of the channel pager". */
  purpose: string;
  /**
   * `generate`: any random key. `ask`: only a person has the value. `later`: `deltawatch keys create` makes it, after the
   * first deployment.
   */
  origin: 'generate' | 'ask' | 'later';
}

/** The secrets that the functions of a stage read, each once. */
export function neededSecrets(stage: Stage, { channels }: Routes): NeededSecret[] {
  const { signingSecret, slackSigningSecret, access } = stage.respond;
  const { kind } = stage.dataAccess;
  const all: NeededSecret[] = [
    { name: signingSecret, purpose: 'signs the links in messages', origin: 'generate' },
  ];
  if (access.kind === 'session')
    all.push({ name: access.secret, purpose: 'signs the sessions of the page', origin: 'generate' });
  if (kind !== 'tables') {
    const origin = kind === 'own' ? 'later' : 'ask';
    all.push({ name: stage.apiKeySecret, purpose: 'the API key of the data access service', origin });
  }
  if (slackSigningSecret !== undefined)
    all.push({ name: slackSigningSecret, purpose: 'the signing secret of the Slack app', origin: 'ask' });
  for (const [channel, config] of Object.entries(channels))
    for (const { name, holds } of secretsOf(config)) {
      const purpose = `the ${holds} of the channel ${channel}`;
      all.push({ name: secretAt(stage.name)(name), purpose, origin: 'ask' });
    }
  return [...new Map(all.toReversed().map((each) => [each.name, each])).values()].toReversed();
}
