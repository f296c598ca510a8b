import type { Stage } from '../shared/config/stage.ts';
import { secretAt, secretsOf } from '../shared/notifications/channels.ts';
import type { Routes } from '../shared/notifications/routes.ts';

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
      secretsOf(config).map((name) => ({
        name: secretAt(stage.name)(name),
        purpose: purposeOf(channel, config, name),
        origin: 'ask' as const,
      })),
    ),
  ];
  return [...new Map(all.toReversed().map((each) => [each.name, each])).values()].toReversed();
}

/** The secrets of channels that all stages of an account and region share: their names have no `$STAGE`. */
export function sharedSecrets({ channels }: Routes): string[] {
  const isShared = (name: string) => secretAt('a')(name) === secretAt('b')(name);
  return [...new Set(Object.values(channels).flatMap(secretsOf))].filter(isShared);
}

function purposeOf(channel: string, config: Routes['channels'][string], name: string): string {
  if ('slack' in config)
    return `the Slack ${'webhook_secret' in config.slack ? 'webhook URL' : 'bot token'} of the channel ${channel}`;
  if ('pagerduty' in config) return `the PagerDuty routing key of the channel ${channel}`;
  if ('teams' in config) return `the Teams webhook URL of the channel ${channel}`;
  if ('discord' in config) return `the Discord webhook URL of the channel ${channel}`;
  if ('email' in config) return `the SMTP URL of the channel ${channel}`;
  const isUrl = 'webhook' in config && config.webhook.url_secret === name;
  return isUrl ? `the URL of the channel ${channel}` : `the signing key of the channel ${channel}`;
}
