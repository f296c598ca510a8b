import * as z from 'zod';
import type { ChannelKind } from '../kind.ts';

const schema = z
  .strictObject({
    topic_arn: z
      .string()
      .regex(
        /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?$/,
        'write the ARN of a topic, such as "arn:aws:sns:eu-central-1:123456789012:alerts"',
      ),
  })
  .describe('An Amazon SNS topic.');

export type SnsSettings = z.output<typeof schema>;

export const sns: ChannelKind<SnsSettings> = {
  schema,
  rights: ({ topic_arn }) => [{ target: topic_arn, actions: ['sns:Publish'], resources: [topic_arn] }],
};
