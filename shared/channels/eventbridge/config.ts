import * as z from 'zod';
import type { ChannelKind } from '../kind.ts';

const schema = z
  .strictObject({
    bus: z
      .string()
      .regex(
        /^(arn:aws[a-z-]*:events:[a-z0-9-]+:\d{12}:event-bus\/)?[/.\w-]{1,256}$/,
        'write the name of an event bus, or its ARN',
      ),
  })
  .describe('An Amazon EventBridge event bus; each alert is a separate event.');

export type EventBridgeSettings = z.output<typeof schema>;

export const eventbridge: ChannelKind<EventBridgeSettings> = {
  schema,
  rights: ({ bus }) => [
    {
      target: bus,
      actions: ['events:PutEvents'],
      resources: [
        bus.startsWith('arn:') ? bus : { service: 'events', resource: 'event-bus', resourceName: bus },
      ],
    },
  ],
};
