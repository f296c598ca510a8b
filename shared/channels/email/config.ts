import * as z from 'zod';
import { type ChannelKind, type ChannelRight, secretName } from '../kind.ts';

const address = z.email('write an email address, such as "team@example.com"');

const schema = z
  .strictObject({
    to: z.array(address).min(1).max(50).describe('The recipients; all see each other.'),
    from: address.describe('The sender. Amazon SES needs it, or its domain, as a verified identity.'),
    smtp_secret: secretName('SMTP URL').optional(),
    ses_region: z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'write a region of AWS, such as "eu-central-1"')
      .optional()
      .describe('The region of the identity in Amazon SES; by default that of the stage.'),
  })
  .refine(({ smtp_secret, ses_region }) => smtp_secret === undefined || ses_region === undefined, {
    error: 'mail is sent by smtp_secret or by Amazon SES in ses_region, not by both',
  })
  .describe('E-mail, sent by Amazon SES or, with smtp_secret, by any SMTP server.');

export type EmailSettings = z.output<typeof schema>;

export const email: ChannelKind<EmailSettings> = {
  schema,
  secrets: ({ smtp_secret }) => (smtp_secret === undefined ? [] : [{ name: smtp_secret, holds: 'SMTP URL' }]),
  rights: (settings) => (settings.smtp_secret === undefined ? [sending(settings)] : []),
};

/** From this address only. SES checks the identity of the address, or else of its domain. */
function sending({ from, ses_region }: EmailSettings): ChannelRight {
  const region = ses_region === undefined ? {} : { region: ses_region };
  return {
    target: `Amazon SES from ${from}${ses_region === undefined ? '' : ` in ${ses_region}`}`,
    // SES asks for the second right too if the caller composes the mail.
    actions: ['ses:SendEmail', 'ses:SendRawEmail'],
    resources: [from, from.slice(from.lastIndexOf('@') + 1)].map((resourceName) => ({
      ...{ service: 'ses', resource: 'identity', resourceName },
      ...region,
    })),
    conditions: { StringEquals: { 'ses:FromAddress': from } },
  };
}
