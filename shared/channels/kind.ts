import * as z from 'zod';

/**
 * What a kind of channel needs, in the file `config.ts` of its folder. `channel.ts` beside it sends. `kinds.ts` lists all
 * kinds, `open.ts` how to open them.
 */
export interface ChannelKind<Settings> {
  /** The settings of one channel in routes.yaml. */
  schema: z.ZodType<Settings>;
  secrets?(settings: Settings): ChannelSecret[];
  /** What the function notify must be allowed to do in AWS. */
  rights?(settings: Settings): ChannelRight[];
  /** A pager opens an incident for all that it is sent, so it gets no digest. */
  isPager?: boolean;
  /** Whether its messages have buttons that call Deltawatch, which needs an endpoint for them. */
  hasButtons?(settings: Settings): boolean;
}

/** `name`: as routes.yaml has it. `holds`: what its value is, such as "Slack webhook URL". */
export interface ChannelSecret {
  name: string;
  holds: string;
}

/** `target`: names it in the record of a deployment. `resources`: ARNs, or their parts in the region of the stage. */
export interface ChannelRight {
  target: string;
  actions: string[];
  resources: (string | { service: string; resource: string; resourceName: string; region?: string })[];
  conditions?: Record<string, Record<string, string>>;
}

/** A kind whose only setting is the secret that holds the URL of a webhook. */
export function webhookKind(vendor: string, description: string): ChannelKind<{ webhook_secret: string }> {
  return {
    schema: z.strictObject({ webhook_secret: secretName('webhook URL') }).describe(description),
    secrets: ({ webhook_secret }) => [{ name: webhook_secret, holds: `${vendor} webhook URL` }],
  };
}

/** The name of a secret that `holds` this, in the words of a person. Refuses what is the secret itself. */
export function secretName(holds: string) {
  return z
    .string()
    .min(1)
    .regex(
      /^(?!.*:\/\/)(?!whsec_)(?!xox[a-z]-)(?!ATATT)(?!.*@.*:)(?![0-9A-Za-z]{32}$)(?![0-9a-f]{8}-[0-9a-f-]{27}$)/,
      `name the secret that holds the ${holds}; the ${holds.split(' ').at(-1)} itself must not be in this file`,
    )
    .regex(
      /^[^$]*(\$STAGE\/[^$]+)?$/,
      'write "$STAGE/" for the name of the stage, such as "deltawatch/$STAGE/slack"',
    )
    .describe(`The name of the secret that holds the ${holds}; never the ${holds.split(' ').at(-1)}.`);
}

/**
 * The names of secrets at a stage: `$STAGE` is its name. On this machine (`null`) there are no stages, and the part up to
 * it is left out.
 */
export function secretAt(stage: string | null): (name: string) => string {
  return (name) => (stage === null ? name.replace(/^.*\$STAGE\//, '') : name.replace('$STAGE', stage));
}
