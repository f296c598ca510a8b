import { secretAt } from '../../shared/channels/kind.ts';
import { secretsOf } from '../../shared/channels/kinds.ts';
import type { Stage } from '../../shared/config/stage.ts';
import type { Routes } from '../../shared/notifications/routes.ts';

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
    ...(access.kind === 'session'
      ? [{ name: access.secret, purpose: 'signs the sessions of the page', origin: 'generate' as const }]
      : []),
    ...(kind === 'tables'
      ? []
      : [
          {
            name: stage.apiKeySecret,
            purpose: 'the API key of the data access service',
            origin: kind === 'own' ? ('later' as const) : ('ask' as const),
          },
        ]),
    ...(slackSigningSecret === undefined
      ? []
      : [
          {
            name: slackSigningSecret,
            purpose: 'the signing secret of the Slack app',
            origin: 'ask' as const,
          },
        ]),
    ...Object.entries(channels).flatMap(([channel, config]) =>
      secretsOf(config).map(({ name, holds }) => ({
        name: secretAt(stage.name)(name),
        purpose: `the ${holds} of the channel ${channel}`,
        origin: 'ask' as const,
      })),
    ),
  ];
  return [...new Map(all.toReversed().map((each) => [each.name, each])).values()].toReversed();
}

/** The secrets of channels that all stages of an account and region share: their names have no `$STAGE`. */
export function sharedSecrets({ channels }: Routes): string[] {
  const isShared = (name: string) => secretAt('a')(name) === secretAt('b')(name);
  const names = Object.values(channels)
    .flatMap(secretsOf)
    .map(({ name }) => name);
  return [...new Set(names)].filter(isShared);
}
