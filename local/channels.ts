import { secretAt } from '../shared/channels/kind.ts';
import { type ChannelConfig, secretsOf } from '../shared/channels/kinds.ts';
import { openChannel } from '../shared/channels/open.ts';
import { slackBlocks } from '../shared/channels/slack/blocks.ts';
import type { Channel } from '../shared/messages/channel.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { ConfigError } from '../shared/runtime/errors.ts';
import type { SlackInbox } from './inbox/slack-inbox.ts';
import type { LocalSecrets } from './secrets.ts';
import { terminalLogger as logger } from './terminal.ts';

export interface LocalChannelsDeps {
  secrets: Pick<LocalSecrets, 'find'>;
  inbox: SlackInbox;
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
  const { secrets, inbox, isLive, clock } = deps;
  const nameOf = secretAt(null);
  const readSecret = async (written: string) => {
    const name = nameOf(written);
    const value = await secrets.find(name);
    if (value === undefined) throw new ConfigError(`there is no secret "${name}" on this machine`);
    return value;
  };
  const whyKept = async (config: ChannelConfig): Promise<string | undefined> => {
    if (!isLive()) return 'it is about the past, and only live messages are sent';
    const names = secretsOf(config).map(({ name }) => nameOf(name));
    if (names.length === 0) return 'channels in AWS are not used on this machine';
    const values = await Promise.all(names.map(secrets.find));
    const missing = names.find((_, i) => values[i] === undefined);
    return missing && `no secret "${missing}" on this machine`;
  };
  const inboxOf = (config: ChannelConfig, name: string, reason: string): Channel => ({
    async send(message) {
      inbox.keep(
        name,
        slackBlocks(message, { mentions: 'slack' in config ? config.slack.mentions : undefined }),
      );
      return { kind: 'kept', reason };
    },
  });
  return async (config, name) => {
    const reason = await whyKept(config);
    return reason === undefined
      ? openChannel(config, { readSecret, stage: null, clock, logger })
      : inboxOf(config, name, reason);
  };
}
