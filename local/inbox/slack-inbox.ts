import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Context, Hono } from 'hono';
import * as z from 'zod';
import type { Clock } from '../../shared/runtime/clock.ts';
import { blocksSchema, parsePayload, type SlackBlock } from './slack-payload.ts';

/** One accepted request: a message, a reply in the thread of one, or the new content of one. */
const entrySchema = z.strictObject({
  channel: z.string(),
  /** Epoch milliseconds. */
  receivedAt: z.number(),
  text: z.string(),
  blocks: blocksSchema,
  /** The id of the message, if a bot sent it. */
  ts: z.string().optional(),
  threadTs: z.string().optional(),
  isUpdate: z.boolean().optional(),
});
type Entry = z.output<typeof entrySchema>;

/** A message as it is now, with its thread, oldest first. */
export interface InboxMessage {
  channel: string;
  receivedAt: number;
  text: string;
  blocks: SlackBlock[];
  ts?: string | undefined;
  updatedAt?: number;
  replies?: InboxMessage[];
}

const channelSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/);

/** The form of a call to the Web API. Other keys, such as `unfurl_links`, are ignored. */
const callSchema = z.object({
  channel: channelSchema,
  text: z.string().optional(),
  blocks: z.string().default('[]'),
  ts: z.string().optional(),
  thread_ts: z.string().optional(),
});

export interface SlackInbox {
  /**
   * `POST /services/:channel` has the same requests and responses as an incoming webhook, and `POST /api/:method` those
   * of `chat.postMessage` and `chat.update`. Channels have names instead of ids.
   */
  app: Hono;
  /** All messages, newest first. */
  list(): InboxMessage[];
  /** Removes all messages. */
  clear(): void;
  close(): void;
}

/**
 * Replaces Slack on one machine. Writes each request to `file` (JSON lines) before it responds "ok". Opening drops an
 * incomplete last line: a crash interrupted it before the response.
 */
export function openSlackInbox({ file, clock }: { file: string; clock: Clock }): SlackInbox {
  mkdirSync(dirname(file), { recursive: true });
  const descriptor = openSync(file, 'a+');
  const messages: InboxMessage[] = [];
  let entries = 0;
  const apply = (entry: Entry) => {
    entries += 1;
    applyTo(messages, entry);
  };
  for (const entry of recover(descriptor)) apply(entry);
  const keep = (entry: Entry) => {
    writeSync(descriptor, `${JSON.stringify(entry)}\n`);
    apply(entry);
  };

  const app = new Hono();
  app.post('/services/:channel', async (c) => {
    const channel = channelSchema.safeParse(c.req.param('channel'));
    if (!channel.success) return c.text('no_service', 404);
    const parsed = parsePayload(await c.req.json().catch(() => undefined));
    if (parsed.kind === 'refused') return c.text(parsed.word, 400);
    const { text, blocks } = parsed;
    keep({ channel: channel.data, receivedAt: clock.now(), text, blocks });
    return c.text('ok');
  });
  app.post('/api/:method', async (c) => {
    const isUpdate = c.req.param('method') === 'chat.update';
    const call = callSchema.safeParse(await c.req.parseBody());
    if (!call.success) return refusedWith(c, 'channel_not_found');
    const { channel, thread_ts: threadTs } = call.data;
    const parsed = parsePayload({ text: call.data.text, blocks: jsonIn(call.data.blocks) });
    if (parsed.kind === 'refused') return refusedWith(c, parsed.word);
    const existing = isUpdate ? call.data.ts : threadTs;
    const isKnown = messages.some((each) => each.channel === channel && each.ts === existing);
    if ((isUpdate || existing !== undefined) && !isKnown)
      return refusedWith(c, isUpdate ? 'message_not_found' : 'thread_not_found');
    const receivedAt = clock.now();
    const ts = isUpdate ? existing : `${Math.floor(receivedAt / 1000)}.${String(entries).padStart(6, '0')}`;
    const { text, blocks } = parsed;
    const how = { ...(isUpdate && { isUpdate }), ...(threadTs !== undefined && { threadTs }) };
    keep({ channel, receivedAt, text, blocks, ts, ...how });
    return c.json({ ok: true, channel, ts });
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

function applyTo(messages: InboxMessage[], entry: Entry): void {
  const { isUpdate = false, threadTs, ...message } = entry;
  const existing = messages.find(({ ts }) => ts !== undefined && ts === (isUpdate ? entry.ts : threadTs));
  if (isUpdate && existing) {
    const { text, blocks, receivedAt: updatedAt } = message;
    Object.assign(existing, { text, blocks, updatedAt });
  } else if (existing) existing.replies = [...(existing.replies ?? []), message];
  else messages.push(message);
}

/** The Web API answers 200 to calls that it refuses. */
function refusedWith(c: Context, error: string): Response {
  return c.json({ ok: false, error });
}

/** Reads the requests in an open file, and truncates the file after its last complete line. */
function recover(descriptor: number): Entry[] {
  const content = readFileSync(descriptor);
  const whole = content.subarray(0, content.lastIndexOf('\n') + 1);
  if (whole.length < content.length) ftruncateSync(descriptor, whole.length);
  return whole
    .toString()
    .split('\n')
    .flatMap((line) => entrySchema.safeParse(jsonIn(line)).data ?? []);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
