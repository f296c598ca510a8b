import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Hono } from 'hono';
import * as z from 'zod';
import type { Clock } from '../../shared/runtime/clock.ts';

/**
 * The limits of Slack: https://docs.slack.dev/reference/block-kit/blocks. They are independent of our sender, so that
 * tests find differences. Blocks that the page cannot render are refused.
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

/** Each `action_id` must be unique within its block. */
const buttonsSchema = z
  .array(buttonSchema)
  .min(1)
  .max(25)
  .refine((buttons) => {
    const ids = buttons.flatMap(({ action_id }) => action_id ?? []);
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
  z.strictObject({ type: z.literal('actions'), elements: buttonsSchema, ...named }),
]);
const blocksSchema = z.array(blockSchema).max(50);

export type SlackBlock = z.output<typeof blockSchema>;
export type SlackButton = z.output<typeof buttonSchema>;
export type SlackText = z.output<ReturnType<typeof anyText>>;

/** The body of a webhook. Other keys, such as `unfurl_links` and `username`, are ignored. */
const payloadSchema = z.object({ text: z.string().default(''), blocks: z.array(z.unknown()).default([]) });

const inboxMessageSchema = z.strictObject({
  channel: z.string(),
  /** Epoch milliseconds. */
  receivedAt: z.number(),
  text: z.string(),
  blocks: blocksSchema,
});

export type InboxMessage = z.output<typeof inboxMessageSchema>;

const channelSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/);

export interface SlackInbox {
  /** `POST /services/:channel` has the same requests and responses as an incoming webhook. */
  app: Hono;
  /** All messages, newest first. */
  list(): InboxMessage[];
  /** Removes all messages. */
  clear(): void;
  close(): void;
}

/**
 * Replaces Slack on one machine. Writes a message to `file` (JSON lines) before it responds "ok". Opening drops an
 * incomplete last line: a crash interrupted it before the response.
 */
export function openSlackInbox({ file, clock }: { file: string; clock: Clock }): SlackInbox {
  mkdirSync(dirname(file), { recursive: true });
  const descriptor = openSync(file, 'a+');
  const messages = recover(descriptor);

  const app = new Hono();
  app.post('/services/:channel', async (c) => {
    const channel = channelSchema.safeParse(c.req.param('channel'));
    if (!channel.success) return c.text('no_service', 404);
    const parsed = parsePayload(await c.req.json().catch(() => undefined));
    if (parsed.kind === 'refused') return c.text(parsed.word, 400);
    const { text, blocks } = parsed;
    const message = { channel: channel.data, receivedAt: clock.now(), text, blocks };
    writeSync(descriptor, `${JSON.stringify(message)}\n`);
    messages.push(message);
    return c.text('ok');
  });

  return {
    app,
    list: () => messages.toReversed(),
    clear() {
      ftruncateSync(descriptor);
      messages.length = 0;
    },
    close: () => closeSync(descriptor),
  };
}

type Parsed = { kind: 'accepted'; text: string; blocks: SlackBlock[] } | { kind: 'refused'; word: string };

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors */
function parsePayload(body: unknown): Parsed {
  const payload = payloadSchema.safeParse(body);
  if (!payload.success) return { kind: 'refused', word: 'invalid_payload' };
  const blocks = blocksSchema.safeParse(payload.data.blocks);
  if (!blocks.success) return { kind: 'refused', word: 'invalid_blocks' };
  const { text } = payload.data;
  if (text === '' && blocks.data.length === 0) return { kind: 'refused', word: 'no_text' };
  return { kind: 'accepted', text, blocks: blocks.data };
}

/** Reads the messages of an open file, and truncates the file after its last complete line. */
function recover(descriptor: number): InboxMessage[] {
  const content = readFileSync(descriptor);
  const whole = content.subarray(0, content.lastIndexOf('\n') + 1);
  if (whole.length < content.length) ftruncateSync(descriptor, whole.length);
  return whole
    .toString()
    .split('\n')
    .flatMap((line) => parseLine(line) ?? []);
}

function parseLine(line: string): InboxMessage | undefined {
  try {
    return inboxMessageSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
