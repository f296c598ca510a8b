import * as z from 'zod';

/**
 * The limits of Slack: https://docs.slack.dev/reference/block-kit/blocks. They are independent of our sender, so that
 * tests find differences. Blocks that no sender uses are refused.
 */
const plainText = (most: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: z.string().min(1).max(most),
    emoji: z.boolean().optional(),
  });
const mrkdwn = (most: number) =>
  z.strictObject({
    type: z.literal('mrkdwn'),
    text: z.string().min(1).max(most),
    verbatim: z.boolean().optional(),
  });
const anyText = (most: number) => z.discriminatedUnion('type', [plainText(most), mrkdwn(most)]);
const named = { block_id: z.string().max(255).optional() };

/** https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object */
const confirmSchema = z.strictObject({
  title: plainText(100),
  text: anyText(300),
  confirm: plainText(30),
  deny: plainText(30),
  style: z.enum(['primary', 'danger']).optional(),
});

/** https://docs.slack.dev/reference/block-kit/block-elements/button-element */
const buttonSchema = z.strictObject({
  type: z.literal('button'),
  text: plainText(75),
  action_id: z.string().max(255).optional(),
  url: z.url().max(3000).optional(),
  value: z.string().max(2000).optional(),
  style: z.enum(['primary', 'danger']).optional(),
  confirm: confirmSchema.optional(),
  accessibility_label: z.string().max(75).optional(),
});

/** https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element#static_select */
const menuSchema = z.strictObject({
  type: z.literal('static_select'),
  placeholder: plainText(150).optional(),
  action_id: z.string().max(255).optional(),
  options: z
    .array(z.strictObject({ text: plainText(75), value: z.string().min(1).max(150) }))
    .min(1)
    .max(100),
  confirm: confirmSchema.optional(),
});

/** Each `action_id` must be unique within its block. */
const actionsSchema = z
  .array(z.discriminatedUnion('type', [buttonSchema, menuSchema]))
  .min(1)
  .max(25)
  .refine((elements) => {
    const ids = elements.flatMap(({ action_id }) => action_id ?? []);
    return new Set(ids).size === ids.length;
  });

const blockSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('header'), text: plainText(150), ...named }),
  z
    .strictObject({
      type: z.literal('section'),
      text: anyText(3000).optional(),
      fields: z.array(anyText(2000)).min(1).max(10).optional(),
      ...named,
    })
    .refine(({ text, fields }) => text !== undefined || fields !== undefined),
  z.strictObject({ type: z.literal('context'), elements: z.array(anyText(3000)).min(1).max(10), ...named }),
  z.strictObject({ type: z.literal('divider'), ...named }),
  z.strictObject({
    type: z.literal('image'),
    image_url: z.url().max(3000),
    alt_text: z.string().min(1).max(2000),
    title: plainText(2000).optional(),
    ...named,
  }),
  z.strictObject({ type: z.literal('actions'), elements: actionsSchema, ...named }),
]);
const blocksSchema = z.array(blockSchema).max(50);

export type SlackBlock = z.output<typeof blockSchema>;

/** The body of a webhook. Other keys, such as `unfurl_links` and `username`, are ignored. */
const payloadSchema = z.object({ text: z.string().default(''), blocks: z.array(z.unknown()).default([]) });

type Parsed = { kind: 'accepted'; text: string; blocks: SlackBlock[] } | { kind: 'refused'; word: string };

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors */
export function parsePayload(body: unknown): Parsed {
  const payload = payloadSchema.safeParse(body);
  if (!payload.success) return { kind: 'refused', word: 'invalid_payload' };
  const blocks = blocksSchema.safeParse(payload.data.blocks);
  if (!blocks.success) return { kind: 'refused', word: 'invalid_blocks' };
  const { text } = payload.data;
  if (text === '' && blocks.data.length === 0) return { kind: 'refused', word: 'no_text' };
  return { kind: 'accepted', text, blocks: blocks.data };
}
