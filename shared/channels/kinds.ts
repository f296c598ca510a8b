import * as z from 'zod';
import { email } from './email/config.ts';
import { eventbridge } from './eventbridge/config.ts';
import { jira } from './jira/config.ts';
import { type ChannelKind, type ChannelRight, type ChannelSecret, webhookKind } from './kind.ts';
import { opsgenie } from './opsgenie/config.ts';
import { pagerduty } from './pagerduty/config.ts';
import { slack } from './slack/config.ts';
import { sns } from './sns/config.ts';
import { webhook } from './webhook/config.ts';

/** The kinds of channels, by their key in routes.yaml. */
const CHANNEL_KINDS = {
  slack,
  pagerduty,
  incidentio: { ...webhookKind('incident.io', 'An HTTP alert source of incident.io.'), isPager: true },
  opsgenie,
  jira,
  webhook,
  sns,
  eventbridge,
  email,
  teams: webhookKind('Teams', 'A workflow of Microsoft Teams that posts what its webhook receives.'),
  discord: webhookKind('Discord', 'A webhook of a Discord channel.'),
  mattermost: webhookKind('Mattermost', 'An incoming webhook of Mattermost.'),
  googlechat: webhookKind('Google Chat', 'A webhook of a space in Google Chat.'),
};

export type Kind = keyof typeof CHANNEL_KINDS;
export type SettingsOf<K extends Kind> = z.output<(typeof CHANNEL_KINDS)[K]['schema']>;

/** How one channel of `rules/routes.yaml` reaches people or machines: one key, which names its kind. */
export type ChannelConfig = { [K in Kind]: Record<K, SettingsOf<K>> }[Kind];

const kinds: Readonly<Record<string, ChannelKind<unknown>>> = CHANNEL_KINDS;

// Not a union: its errors could only say that no member matches.
export const channelSchema = z
  .strictObject(
    Object.fromEntries(Object.entries(kinds).map(([kind, { schema }]) => [kind, schema.optional()])),
  )
  .meta({ description: 'One destination: exactly one key.', minProperties: 1, maxProperties: 1 })
  .transform((given, context): ChannelConfig => {
    const [only, ...others] = Object.keys(given);
    if (only !== undefined && others.length === 0) return given as ChannelConfig;
    // An unknown key is reported already.
    if (context.issues.length > 0) return z.NEVER;
    const found = only === undefined ? '' : `, not ${Object.keys(given).join(' and ')}`;
    const message = `a channel is one of ${Object.keys(kinds).join(', ')}${found}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

export function secretsOf(config: ChannelConfig): ChannelSecret[] {
  return asked(config, (kind, settings) => kind.secrets?.(settings) ?? []);
}

export function rightsOf(config: ChannelConfig): ChannelRight[] {
  return asked(config, (kind, settings) => kind.rights?.(settings) ?? []);
}

export function isPager(config: ChannelConfig): boolean {
  return asked(config, (kind) => kind.isPager ?? false);
}

export function hasButtons(config: ChannelConfig): boolean {
  return asked(config, (kind, settings) => kind.hasButtons?.(settings) ?? false);
}

function asked<T>(config: ChannelConfig, ask: (kind: ChannelKind<unknown>, settings: unknown) => T): T {
  const [[name, settings] = ['', undefined]] = Object.entries(config);
  const kind = kinds[name];
  if (!kind) throw new TypeError(`there is no kind of channel "${name}"`);
  return ask(kind, settings);
}
