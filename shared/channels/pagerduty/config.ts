import * as z from 'zod';
import { type ChannelKind, secretName } from '../kind.ts';

const schema = z
  .strictObject({
    routing_key_secret: secretName('routing key'),
    region: z.enum(['us', 'eu']).optional().describe('The service region of the account; "us" by default.'),
    at_once: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe('Maximum number of events per run, 20 by default; the rest follows with the next run.'),
  })
  .describe('An Events API v2 integration of a PagerDuty service.');

export type PagerDutySettings = z.output<typeof schema>;

export const pagerduty: ChannelKind<PagerDutySettings> = {
  schema,
  secrets: ({ routing_key_secret }) => [{ name: routing_key_secret, holds: 'PagerDuty routing key' }],
  isPager: true,
};
