import { Stack } from 'aws-cdk-lib';
import type { ChannelConfig } from '../shared/alerting/channels.ts';
import type { WatchedFunction } from './constructs/watched-function.ts';

/** Lets `sender` reach people through this channel, where that takes a right; secrets are another matter. */
export function allowSending(sender: WatchedFunction, channel: ChannelConfig): void {
  if ('sns' in channel) sender.allow(['sns:Publish'], channel.sns.topic_arn);
  if ('eventbridge' in channel) sender.allow(['events:PutEvents'], busArn(sender, channel.eventbridge.bus));
}

function busArn(sender: WatchedFunction, bus: string): string {
  if (bus.startsWith('arn:')) return bus;
  return Stack.of(sender).formatArn({ service: 'events', resource: 'event-bus', resourceName: bus });
}
