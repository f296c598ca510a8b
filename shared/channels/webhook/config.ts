import * as z from 'zod';
import { type ChannelKind, secretName } from '../kind.ts';

const schema = z
  .strictObject({
    url_secret: secretName('URL'),
    signing_secret: secretName('signing key'),
    allow_private: z
      .boolean()
      .optional()
      .describe('Whether the URL may resolve to a private address and use http.'),
  })
  .describe('Any receiver of signed JSON.');

export type WebhookSettings = z.output<typeof schema>;

export const webhook: ChannelKind<WebhookSettings> = {
  schema,
  secrets: ({ url_secret, signing_secret }) => [
    { name: url_secret, holds: 'URL' },
    { name: signing_secret, holds: 'signing key' },
  ],
};
