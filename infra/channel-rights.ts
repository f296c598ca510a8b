import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Stage } from '../shared/config/stage.ts';
import type { ChannelConfig, EmailConfig } from '../shared/notifications/channels.ts';
import type { Routes } from '../shared/notifications/routes.ts';
import { ConfigError } from '../shared/runtime/errors.ts';
import type { WatchedFunction } from './constructs/watched-function.ts';

/** Grants the permission that sending to this channel needs, if any. Access to secrets is granted elsewhere. */
export function allowSending(sender: WatchedFunction, channel: ChannelConfig): void {
  if ('sns' in channel) sender.allow(['sns:Publish'], channel.sns.topic_arn);
  if ('eventbridge' in channel) sender.allow(['events:PutEvents'], busArn(sender, channel.eventbridge.bus));
  if ('email' in channel && channel.email.smtp_secret === undefined) allowMail(sender, channel.email);
}

/** Allows sending from this address only. SES checks the identity of the address, or else of its domain. */
function allowMail(sender: WatchedFunction, { from, ses_region }: EmailConfig): void {
  const identity = (name: string) =>
    Stack.of(sender).formatArn({
      service: 'ses',
      resource: 'identity',
      resourceName: name,
      ...(ses_region === undefined ? {} : { region: ses_region }),
    });
  sender.addToRolePolicy(
    new PolicyStatement({
      // SES asks for the second right too if the caller composes the mail.
      actions: ['ses:SendEmail', 'ses:SendRawEmail'],
      resources: [from, from.slice(from.lastIndexOf('@') + 1)].map(identity),
      conditions: { StringEquals: { 'ses:FromAddress': from } },
    }),
  );
}

/** Throws `ConfigError` for an interactive channel without the signing secret that verifies its buttons. */
export function assertAnswerable({ channels }: Routes, { name, respond }: Stage): void {
  if (respond.slackSigningSecret !== undefined) return;
  const [channel] =
    Object.entries(channels).find(([, each]) => 'slack' in each && each.slack.interactive) ?? [];
  if (channel === undefined) return;
  throw new ConfigError(
    `The channel "${channel}" is interactive, but the stage "${name}" has no respond.slackSigningSecret. Set it in deltawatch.config.ts, or remove "interactive" from the channel`,
  );
}

function busArn(sender: WatchedFunction, bus: string): string {
  if (bus.startsWith('arn:')) return bus;
  return Stack.of(sender).formatArn({ service: 'events', resource: 'event-bus', resourceName: bus });
}
