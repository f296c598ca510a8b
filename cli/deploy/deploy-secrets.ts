import type { Cloud } from '../../shared/aws/cloud.ts';
import { secretAt } from '../../shared/channels/kind.ts';
import { secretsOf } from '../../shared/channels/kinds.ts';
import { type DeployableTables, secretOfTables } from '../../shared/config/deployable-tables.ts';
import { ENGINE_NAMES } from '../../shared/config/sql-tables.ts';
import type { Stage } from '../../shared/config/stage.ts';
import type { Routes } from '../../shared/notifications/routes.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { counted } from '../../shared/text/counted.ts';
import type { AskHidden } from '../terminal/confirm.ts';
import { documentPath } from '../terminal/documents.ts';
import { wrapped } from '../terminal/wrapping.ts';

interface SecretParts {
  cloud: Pick<Cloud, 'createSecret'>;
  askHidden: AskHidden;
  newKey: () => string;
  /** Once it is aborted, no secret is created. */
  signal: AbortSignal;
}

/**
 * The missing secrets of a stage. Throws `ConfigError` if some can neither be generated nor asked for, or are scheduled for
 * deletion.
 */
export async function findMissingSecrets(
  stage: Stage,
  routes: Routes,
  { cloud, asks }: { cloud: Pick<Cloud, 'secretState'>; asks: boolean },
): Promise<NeededSecret[]> {
  const states = await secretStates(stage, routes, cloud);
  const missing = states.filter(({ state }) => state === 'missing');
  const asked = asks ? [] : missing.filter(({ origin }) => origin === 'ask');
  const problems = [
    ...states.flatMap(({ name, state }) => (state === 'deleted' ? [restoreText(name)] : [])),
    ...(asked.length > 0 ? [missingText(asked, stage)] : []),
  ];
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return missing;
}

/** Creates missing secrets, and returns those that can only be made after the deployment. Throws `ConfigError` after an empty answer. */
export async function createSecrets(
  missing: NeededSecret[],
  stage: Stage,
  parts: SecretParts,
): Promise<NeededSecret[]> {
  if (missing.length > 0) {
    const is = missing.length === 1 ? 'is' : 'are';
    console.log(`${counted(missing.length, 'secret')} of ${stage.name} ${is} missing in Secrets Manager:`);
    for (const { name, purpose } of missing) console.log(wrapped(`  ${name}: ${purpose}`, 4).join('\n'));
  }
  const of = (origin: NeededSecret['origin']) => missing.filter((each) => each.origin === origin);
  for (const each of of('generate')) await create(each, parts.newKey(), stage, parts);
  for (const each of of('ask')) {
    const value = (await parts.askHidden(`${each.name}: ${each.purpose}`))?.trim();
    if (!value) throw new ConfigError(missingText([each], stage));
    await create(each, value, stage, parts);
  }
  return of('later');
}

async function create(
  { name, purpose }: NeededSecret,
  value: string,
  stage: Stage,
  { cloud, signal }: SecretParts,
): Promise<void> {
  signal.throwIfAborted();
  const description = `Deltawatch (${stage.name}): ${purpose}`;
  await cloud.createSecret({ name, value, description, kmsKey: stage.kmsKey });
  console.log(`Created ${name}.`);
}

const restoreText = (name: string) =>
  `the secret "${name}" is scheduled for deletion: restore it with "aws secretsmanager restore-secret --secret-id ${name}"`;

function missingText(secrets: NeededSecret[], { name }: Stage): string {
  const names = new Intl.ListFormat('en').format(secrets.map((each) => `"${each.name}"`));
  const [what, it] = secrets.length === 1 ? [`secret ${names} is`, 'it'] : [`secrets ${names} are`, 'them'];
  return `nothing was deployed, because the ${what} missing: run "npx deltawatch deploy ${name}" at a terminal, or create ${it} as ${documentPath('how-to/deploying.md')} shows`;
}

export interface NeededSecret {
  name: string;
  /** What its value is, such as "the webhook or key of the channel pager". */
  purpose: string;
  /** `generate`: any key. `ask`: only a person has it. `later`: `deltawatch keys create` makes it after the deployment. */
  origin: 'generate' | 'ask' | 'later';
}

/** The secrets that the functions of a stage read, and whether they exist. */
export function secretStates(stage: Stage, routes: Routes, cloud: Pick<Cloud, 'secretState'>) {
  return Promise.all(
    neededSecrets(stage, routes).map(async (secret) => ({
      ...secret,
      state: await cloud.secretState(secret.name),
    })),
  );
}

/** Each once. */
export function neededSecrets(stage: Stage, { channels }: Routes): NeededSecret[] {
  const { signingSecret, slackSigningSecret, access } = stage.respond;
  const { dataAccess } = stage;
  const all: NeededSecret[] = [
    { name: signingSecret, purpose: 'signs the links in messages', origin: 'generate' },
  ];
  if (access.kind === 'session')
    all.push({ name: access.secret, purpose: 'signs the sessions of the page', origin: 'generate' });
  if (dataAccess.kind !== 'tables') {
    const origin = dataAccess.kind === 'own' ? 'later' : 'ask';
    all.push({ name: stage.apiKeySecret, purpose: 'the API key of the data access service', origin });
  } else {
    const name = secretOfTables(dataAccess.tables);
    if (name !== undefined) all.push({ name, purpose: secretPurpose(dataAccess.tables), origin: 'ask' });
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

const secretPurpose = ({ engine }: DeployableTables): string =>
  engine === 'posthog'
    ? 'a personal API key of PostHog'
    : `the URL of ${ENGINE_NAMES[engine]}, with user and password`;
