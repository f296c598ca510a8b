import * as z from 'zod';
import { matchSchema } from '../../rules/match-schema.ts';
import { type ChannelKind, secretName } from '../kind.ts';

const mentionSchema = z
  .strictObject({
    match: matchSchema.optional(),
    mention: z
      .string()
      .regex(
        /^(?:[UWS][A-Z0-9]{8,20}|here|channel)$/,
        'write the ID of a user (U… or W…) or of a user group (S…), or "here" or "channel"',
      )
      .describe('The ID of a user (U… or W…) or of a user group (S…), "here" or "channel".'),
  })
  .describe('Who is mentioned; without "match", for every alert.');

const FORMS =
  'write either "webhook_secret", or "bot_token_secret" and "channel"; only a bot can update its messages';

const schema = z
  .strictObject({
    webhook_secret: secretName('webhook URL').optional(),
    bot_token_secret: secretName('bot token').optional(),
    channel: z
      .string()
      .regex(
        /^[CGD][A-Z0-9]{8,20}$/,
        'write the ID of the channel, such as "C0123456789"; its details in Slack show it',
      )
      .optional()
      .describe('The ID of the channel that the bot posts to, such as C0123456789.'),
    interactive: z
      .boolean()
      .optional()
      .describe('Whether the Slack app forwards its buttons to Deltawatch. Otherwise answers are links.'),
    mentions: z
      .array(mentionSchema)
      .min(1)
      .max(50)
      .optional()
      .describe('Who is mentioned in messages that ask somebody to act.'),
  })
  .describe('A Slack channel: either "webhook_secret", or "bot_token_secret" and "channel".')
  .transform((given, context): SlackSettings => {
    const { webhook_secret, bot_token_secret, channel, ...settings } = given;
    if (webhook_secret !== undefined && bot_token_secret === undefined && channel === undefined)
      return { webhook_secret, ...settings };
    if (webhook_secret === undefined && bot_token_secret !== undefined && channel !== undefined)
      return { bot_token_secret, channel, ...settings };
    // A key that is wrong by itself is reported already.
    if (context.issues.length === 0) context.addIssue({ code: 'custom', message: FORMS });
    return z.NEVER;
  });

export type Mention = z.output<typeof mentionSchema>;

export type SlackSettings = {
  interactive?: boolean | undefined;
  mentions?: Mention[] | undefined;
} & ({ webhook_secret: string } | { bot_token_secret: string; channel: string });

/** A Slack channel, reached through an incoming webhook or as a bot. */
export const slack: ChannelKind<SlackSettings> = {
  schema,
  secrets: (settings) => [
    'webhook_secret' in settings
      ? { name: settings.webhook_secret, holds: 'Slack webhook URL' }
      : { name: settings.bot_token_secret, holds: 'Slack bot token' },
  ],
  hasButtons: ({ interactive = false }) => interactive,
};
