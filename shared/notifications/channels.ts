import * as z from 'zod';
import { secretName } from './secret-name.ts';
import { type SlackConfig, slackSchema } from './slack-schema.ts';

const pagerdutySchema = z
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

const webhookSchema = z
  .strictObject({
    url_secret: secretName('URL'),
    signing_secret: secretName('signing key'),
    allow_private: z
      .boolean()
      .optional()
      .describe('Whether the URL may resolve to a private address and use http.'),
  })
  .describe('Any receiver of signed JSON.');

const snsSchema = z
  .strictObject({
    topic_arn: z
      .string()
      .regex(
        /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?$/,
        'write the ARN of a topic, such as "arn:aws:sns:eu-central-1:123456789012:alerts"',
      ),
  })
  .describe('An Amazon SNS topic.');

const eventbridgeSchema = z
  .strictObject({
    bus: z
      .string()
      .regex(
        /^(arn:aws[a-z-]*:events:[a-z0-9-]+:\d{12}:event-bus\/)?[/.\w-]{1,256}$/,
        'write the name of an event bus, or its ARN',
      ),
  })
  .describe('An Amazon EventBridge event bus; each alert is a separate event.');

const address = z.email('write an email address, such as "team@example.com"');

const emailSchema = z
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

const teamsSchema = z
  .strictObject({ webhook_secret: secretName('webhook URL') })
  .describe('A workflow of Microsoft Teams that posts what its webhook receives.');

const discordSchema = z
  .strictObject({ webhook_secret: secretName('webhook URL') })
  .describe('A webhook of a Discord channel.');

export type PagerDutyConfig = z.output<typeof pagerdutySchema>;
type WebhookConfig = z.output<typeof webhookSchema>;
export type EmailConfig = z.output<typeof emailSchema>;

/** How one channel of `rules/routes.yaml` reaches people or machines: one key, which names its kind. */
export type ChannelConfig =
  | { slack: SlackConfig }
  | { pagerduty: PagerDutyConfig }
  | { webhook: WebhookConfig }
  | { sns: z.output<typeof snsSchema> }
  | { eventbridge: z.output<typeof eventbridgeSchema> }
  | { email: EmailConfig }
  | { teams: z.output<typeof teamsSchema> }
  | { discord: z.output<typeof discordSchema> };

const kinds = {
  slack: slackSchema.optional(),
  pagerduty: pagerdutySchema.optional(),
  webhook: webhookSchema.optional(),
  sns: snsSchema.optional(),
  eventbridge: eventbridgeSchema.optional(),
  email: emailSchema.optional(),
  teams: teamsSchema.optional(),
  discord: discordSchema.optional(),
};

// Not a union: its errors could only say that no member matches.
export const channelSchema = z
  .strictObject(kinds)
  .meta({ description: 'One destination: exactly one key.', minProperties: 1, maxProperties: 1 })
  .transform((given, context): ChannelConfig => {
    const [only, ...others] = configsIn(given);
    if (only && others.length === 0) return only;
    // An unknown key is reported already.
    if (context.issues.length > 0) return z.NEVER;
    const found = only ? `, not ${Object.keys(given).join(' and ')}` : '';
    context.addIssue({
      code: 'custom',
      message: `a channel is one of ${Object.keys(kinds).join(', ')}${found}`,
    });
    return z.NEVER;
  });

type Given = { [Kind in keyof typeof kinds]?: z.output<(typeof kinds)[Kind]> };

function configsIn({
  slack,
  pagerduty,
  webhook,
  sns,
  eventbridge,
  email,
  teams,
  discord,
}: Given): ChannelConfig[] {
  return [
    ...(slack ? [{ slack }] : []),
    ...(pagerduty ? [{ pagerduty }] : []),
    ...(webhook ? [{ webhook }] : []),
    ...(sns ? [{ sns }] : []),
    ...(eventbridge ? [{ eventbridge }] : []),
    ...(email ? [{ email }] : []),
    ...(teams ? [{ teams }] : []),
    ...(discord ? [{ discord }] : []),
  ];
}

/**
 * The names of secrets at a stage: `$STAGE` is its name. On this machine (`null`) there are no stages, and the part up to
 * it is left out.
 */
export function secretAt(stage: string | null): (name: string) => string {
  return (name) => (stage === null ? name.replace(/^.*\$STAGE\//, '') : name.replace('$STAGE', stage));
}

/** The names of the secrets that the channel needs, as its configuration has them. */
export function secretsOf(config: ChannelConfig): string[] {
  if ('slack' in config)
    return ['webhook_secret' in config.slack ? config.slack.webhook_secret : config.slack.bot_token_secret];
  if ('teams' in config) return [config.teams.webhook_secret];
  if ('discord' in config) return [config.discord.webhook_secret];
  if ('pagerduty' in config) return [config.pagerduty.routing_key_secret];
  if ('webhook' in config) return [config.webhook.url_secret, config.webhook.signing_secret];
  if ('email' in config) return config.email.smtp_secret === undefined ? [] : [config.email.smtp_secret];
  return [];
}
