import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SNSClient } from '@aws-sdk/client-sns';
import type { Channel } from '../messages/channel.ts';
import type { ChannelConfig, EmailConfig } from '../notifications/channels.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { createDiscordChannel } from './discord/channel.ts';
import { createEventBridgeChannel } from './eventbridge/channel.ts';
import { createPagerDutyChannel } from './pagerduty/channel.ts';
import { createSlackBotChannel } from './slack/bot-channel.ts';
import { createSlackChannel } from './slack/channel.ts';
import { createSnsChannel } from './sns/channel.ts';
import { createTeamsChannel } from './teams/channel.ts';
import { createWebhookChannel } from './webhook/channel.ts';

export interface ChannelsDeps {
  /** The secret of this name. Throws if it does not exist. */
  readSecret: (name: string) => Promise<string>;
  clock: Clock;
  logger: Logger;
  /** Replaces `fetch` for all channels but webhooks and those in AWS. */
  fetch?: typeof fetch;
}

/** Creates the channel of a configuration, each time it is needed, so that a changed secret is used soon. */
export function channelsWith(deps: ChannelsDeps): (config: ChannelConfig) => Promise<Channel> {
  const { readSecret, clock, logger, fetch } = deps;
  const http = { clock, ...(fetch ? { fetch } : {}) };
  // A topic or bus is called in its own region.
  const sns = perRegion((region) => new SNSClient({ ...WITHIN_LEASE, ...region }));
  const eventbridge = perRegion((region) => new EventBridgeClient({ ...WITHIN_LEASE, ...region }));
  const ses = perRegion(async (region) => {
    const { sesMailer } = await import('./email/ses.ts');
    return sesMailer({ ...WITHIN_LEASE, ...region });
  });
  // Loaded late: few stages send mail, and each cold start would load its composer.
  const mailerFor = async ({ smtp_secret, ses_region }: EmailConfig) => {
    if (smtp_secret === undefined) return ses(ses_region ?? '');
    const { smtpMailer } = await import('./email/smtp.ts');
    return smtpMailer({ url: await readSecret(smtp_secret), logger });
  };

  return async (config) => {
    if ('slack' in config) {
      const { interactive, mentions } = config.slack;
      const options = { interactive, mentions, logger, ...http };
      if ('webhook_secret' in config.slack) {
        const webhookUrl = await readSecret(config.slack.webhook_secret);
        return createSlackChannel({ webhookUrl, ...options });
      }
      const { bot_token_secret, channel } = config.slack;
      return createSlackBotChannel({ token: await readSecret(bot_token_secret), channel, ...options });
    }
    if ('pagerduty' in config) {
      const { routing_key_secret, region, at_once: atOnce } = config.pagerduty;
      const routingKey = await readSecret(routing_key_secret);
      return createPagerDutyChannel({ routingKey, region, atOnce, ...http });
    }
    if ('webhook' in config) {
      const { url_secret, signing_secret, allow_private: allowPrivate } = config.webhook;
      const [url, signingSecret] = await Promise.all([readSecret(url_secret), readSecret(signing_secret)]);
      return createWebhookChannel({ url, signingSecret, allowPrivate, clock });
    }
    if ('sns' in config) {
      const { topic_arn } = config.sns;
      return createSnsChannel(sns(regionOf(topic_arn)), topic_arn);
    }
    if ('eventbridge' in config) {
      const { bus } = config.eventbridge;
      return createEventBridgeChannel(eventbridge(regionOf(bus)), bus, clock);
    }
    if ('email' in config) {
      const { to, from } = config.email;
      const { createEmailChannel } = await import('./email/channel.ts');
      return createEmailChannel({ to, from, mailer: await mailerFor(config.email), logger, ...http });
    }
    if ('teams' in config) {
      const webhookUrl = await readSecret(config.teams.webhook_secret);
      return createTeamsChannel({ webhookUrl, ...http });
    }
    if ('discord' in config) {
      const webhookUrl = await readSecret(config.discord.webhook_secret);
      return createDiscordChannel({ webhookUrl, logger, ...http });
    }
    return config satisfies never;
  };
}

/** Without it, the SDK waits without limit for an answer. */
const WITHIN_LEASE = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 3000, requestTimeout: 5000, throwOnRequestTimeout: true },
};

/** One client per region; `''` is the default region. */
function perRegion<T>(make: (at: { region?: string }) => T): (region: string) => T {
  const made = new Map<string, T>();
  return (region) => {
    const client = made.get(region) ?? make(region ? { region } : {});
    made.set(region, client);
    return client;
  };
}

/** The region of an ARN. Names without an ARN use the default region. */
function regionOf(name: string): string {
  return name.startsWith('arn:') ? (name.split(':')[3] ?? '') : '';
}
