import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SNSClient } from '@aws-sdk/client-sns';
import type { Channel } from '../alerting/messages/channel.ts';
import type { ChannelConfig } from '../alerting/notifications/channels.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { createEventBridgeChannel } from './eventbridge/channel.ts';
import { createPagerDutyChannel } from './pagerduty/channel.ts';
import { createSlackBotChannel } from './slack/bot-channel.ts';
import { createSlackChannel } from './slack/channel.ts';
import { createSnsChannel } from './sns/channel.ts';
import { createWebhookChannel } from './webhook/channel.ts';

export interface ChannelsDeps {
  /** The secret of this name. Throws if it does not exist. */
  readSecret: (name: string) => Promise<string>;
  clock: Clock;
  logger: Logger;
  /** Replaces `fetch` for Slack and PagerDuty. */
  fetch?: typeof fetch;
}

/** Creates the channel of a configuration, each time it is needed, so that a changed secret is used soon. */
export function channelsWith(deps: ChannelsDeps): (config: ChannelConfig) => Promise<Channel> {
  const { readSecret, clock, logger, fetch } = deps;
  const http = { clock, ...(fetch ? { fetch } : {}) };
  // A topic or bus is called in its own region.
  const sns = perRegion((region) => new SNSClient({ ...WITHIN_LEASE, ...region }));
  const eventbridge = perRegion((region) => new EventBridgeClient({ ...WITHIN_LEASE, ...region }));

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
      return createSnsChannel(sns(topic_arn), topic_arn);
    }
    if ('eventbridge' in config) {
      const { bus } = config.eventbridge;
      return createEventBridgeChannel(eventbridge(bus), bus, clock);
    }
    return config satisfies never;
  };
}

/** Without it, the SDK waits without limit for an answer. */
const WITHIN_LEASE = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 3000, requestTimeout: 5000, throwOnRequestTimeout: true },
};

/** One client per region of an ARN. Names without an ARN use the default region. */
function perRegion<T>(make: (at: { region?: string }) => T): (arn: string) => T {
  const made = new Map<string, T>();
  return (arn) => {
    const region = arn.startsWith('arn:') ? (arn.split(':')[3] ?? '') : '';
    const client = made.get(region) ?? make(region ? { region } : {});
    made.set(region, client);
    return client;
  };
}
