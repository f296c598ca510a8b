import * as z from 'zod';
import { type ChannelKind, secretName } from '../kind.ts';

const schema = z
  .strictObject({
    api_key_secret: secretName('API key'),
    site: z
      .enum(['jira', 'us', 'eu'])
      .describe('Who takes the alerts: "jira" is Jira Service Management, "us" and "eu" are Opsgenie.'),
  })
  .describe('An API integration of Jira Service Management or Opsgenie.');

export type OpsgenieSettings = z.output<typeof schema>;

export const opsgenie: ChannelKind<OpsgenieSettings> = {
  schema,
  secrets: ({ api_key_secret }) => [{ name: api_key_secret, holds: 'API key of an API integration' }],
  isPager: true,
};
