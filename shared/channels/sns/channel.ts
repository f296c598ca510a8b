import { type MessageAttributeValue, PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { callAws } from '../../aws/requests.ts';
import type { Channel } from '../../messages/channel.ts';
import { type Message, messageIdOf } from '../../messages/message.ts';
import { perRegion, refusalOfAws, regionOf } from '../aws.ts';
import { oneLine, withinBytes } from '../outgoing-text.ts';
import { plainText } from '../plain-text.ts';
import type { SnsSettings } from './config.ts';

/** https://docs.aws.amazon.com/sns/latest/api/API_Publish.html: under 100 characters. */
const SNS_LIMITS = { subject: 99 } as const;
/** A topic accepts 262,144 bytes, attributes included. */
const OURS = { bytes: 200_000, items: 20, attributes: 30 } as const;

const clients = perRegion((config) => new SNSClient(config));

export async function open({ topic_arn }: SnsSettings): Promise<Channel> {
  return createSnsChannel(clients(regionOf(topic_arn)), topic_arn);
}

/**
 * Publishes each message once: as a mail to mailboxes, as its text to other subscribers. Subscriptions can filter by
 * the attributes `severity`, `app` and `transition`. A FIFO topic is recognized by its name and drops duplicates for
 * five minutes.
 */
export function createSnsChannel(client: Pick<SNSClient, 'send'>, topicArn: string): Channel {
  return {
    async send(message) {
      const command = new PublishCommand({
        TopicArn: topicArn,
        Subject: oneLine(SNS_LIMITS.subject, message.title) || 'Deltawatch',
        Message: withinBytes(OURS.bytes, plainText(message, { limit: OURS.items, answers: false })),
        MessageAttributes: attributesOf(message),
        ...(topicArn.endsWith('.fifo') && {
          MessageGroupId: 'deltawatch',
          MessageDeduplicationId: messageIdOf(message),
        }),
      });
      try {
        await callAws('SNS', () => client.send(command));
        return { kind: 'sent' };
      } catch (error) {
        return refusalOfAws(error);
      }
    },
  };
}

function attributesOf({ severity, items }: Message): Record<string, MessageAttributeValue> {
  const apps = items.flatMap(({ app }) => (app === null ? [] : [oneLine(100, app)]));
  return {
    severity: { DataType: 'String', StringValue: severity },
    transition: anyOf(items.map(({ transition }) => transition)),
    ...(apps.length > 0 ? { app: anyOf(apps) } : {}),
  };
}

/** A filter matches if it matches one of them. */
function anyOf(values: string[]): MessageAttributeValue {
  const distinct = [...new Set(values)].slice(0, OURS.attributes);
  return { DataType: 'String.Array', StringValue: JSON.stringify(distinct) };
}
