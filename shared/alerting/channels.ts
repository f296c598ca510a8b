import * as z from 'zod';

/** How one channel of `rules/routes.yaml` reaches people: one key, which names its kind. */
export const channelSchema = z
  .strictObject({
    slack: z.strictObject({
      webhook_secret: z
        .string()
        .min(1)
        .regex(/^(?!.*:\/\/)/, 'name the secret that holds the webhook URL; the URL itself must not lie here')
        .describe('The name of the secret that holds the webhook URL; never the URL.'),
    }),
  })
  .describe('One way to reach people.');

export type ChannelConfig = z.output<typeof channelSchema>;
