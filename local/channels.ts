import { channelsWith } from '../shared/channels/channels.ts';
import { createSlackBotChannel } from '../shared/channels/slack/bot-channel.ts';
import { createSlackChannel } from '../shared/channels/slack/channel.ts';
import type { Channel } from '../shared/messages/channel.ts';
import { type ChannelConfig, secretAt, secretsOf } from '../shared/notifications/channels.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { ConfigError } from '../shared/runtime/errors.ts';
import type { SlackInbox } from './inbox/slack-inbox.ts';
import type { LocalSecrets } from './secrets.ts';
import { terminalLogger as logger } from './terminal.ts';

export interface LocalChannelsDeps {
  secrets: Pick<LocalSecrets, 'find'>;
  inbox: SlackInbox;
  /** Root URL of this machine. */
  address: string;
  /** Messages about past weeks never go to real channels. */
  isLive: () => boolean;
  clock: Clock;
}

/**
 * The channels on one machine. A channel with secrets on this machine is real; others go to the inbox, as
 * Slack channels of that name. Channels that need AWS permissions stay here.
 */
export function localChannels(
  deps: LocalChannelsDeps,
): (config: ChannelConfig, name: string) => Promise<Channel> {
  const { secrets, inbox, address, isLive, clock } = deps;
  const nameOf = secretAt(null);
  const readSecret = async (written: string) => {
    const name = nameOf(written);
    const value = await secrets.find(name);
    if (value === undefined) throw new ConfigError(`there is no secret "${name}" on this machine`);
    return value;
  };
  const realChannel = channelsWith({ readSecret, clock, logger });
  const whyKept = async (config: ChannelConfig): Promise<string | undefined> => {
    if (!isLive()) return 'messages about the past stay on this machine';
    const names = secretsOf(config).map(nameOf);
    if (names.length === 0) return 'channels in AWS are not used on this machine';
    const values = await Promise.all(names.map(secrets.find));
    const missing = names.find((_, i) => values[i] === undefined);
    return missing && `no secret "${missing}" on this machine`;
  };
  // Not over the network: fetch blocks some ports.
  const fetch = async (url: string | URL | Request, init?: RequestInit) => inbox.app.request(url, init);
  const inboxOf = (config: ChannelConfig, name: string, reason: string): Channel => {
    const slack = 'slack' in config ? config.slack : undefined;
    const options = { clock, fetch, logger, mentions: slack?.mentions };
    const channel =
      slack && 'bot_token_secret' in slack
        ? createSlackBotChannel({
            ...options,
            token: 'xoxb-inbox',
            channel: name,
            address: `${address}/api/`,
          })
        : createSlackChannel({ ...options, webhookUrl: `${address}/services/${encodeURIComponent(name)}` });
    return {
      async send(message) {
        const result = await channel.send(message);
        return result.kind === 'sent' ? { ...result, kind: 'kept', reason } : result;
      },
    };
  };
  return async (config, name) => {
    const reason = await whyKept(config);
    return reason === undefined ? realChannel(config) : inboxOf(config, name, reason);
  };
}
