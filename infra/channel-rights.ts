import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type ChannelConfig, hasButtons, rightsOf } from '../shared/channels/kinds.ts';
import type { Stage } from '../shared/config/stage.ts';
import type { Routes } from '../shared/notifications/routes.ts';
import { ConfigError } from '../shared/runtime/errors.ts';
import type { WatchedFunction } from './constructs/watched-function.ts';

/** Grants the permissions in AWS that sending to this channel needs. Access to secrets is granted elsewhere. */
export function allowSending(sender: WatchedFunction, channel: ChannelConfig): void {
  for (const { actions, resources, conditions } of rightsOf(channel))
    sender.addToRolePolicy(
      new PolicyStatement({
        actions,
        resources: resources.map((each) =>
          typeof each === 'string' ? each : Stack.of(sender).formatArn(each),
        ),
        ...(conditions && { conditions }),
      }),
    );
}

/** Throws `ConfigError` for an interactive channel without the signing secret that verifies its buttons. */
export function assertAnswerable({ channels }: Routes, { name, respond }: Stage): void {
  if (respond.slackSigningSecret !== undefined) return;
  const [channel] = Object.entries(channels).find(([, each]) => hasButtons(each)) ?? [];
  if (channel === undefined) return;
  throw new ConfigError(
    `The channel "${channel}" is interactive, but the stage "${name}" has no respond.slackSigningSecret. Set it in deltawatch.config.ts, or remove "interactive" from the channel`,
  );
}
