import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { parsePayload, type SlackBlock } from './slack-payload.ts';

/** A message as it is now, with its thread, oldest first. */
export interface SlackMessage {
  channel: string;
  ts: string;
  text: string;
  blocks: SlackBlock[];
  replies: SlackMessage[];
}

/** The form of a call to the Web API. Other keys, such as `unfurl_links`, are ignored. */
const callSchema = z.object({
  channel: z.string(),
  text: z.string().optional(),
  blocks: z.string().default('[]'),
  ts: z.string().optional(),
  thread_ts: z.string().optional(),
});

/**
 * A Slack in memory, with the limits of Slack: `POST /services/:channel` takes the requests of an incoming webhook, and
 * `POST /api/:method` those of `chat.postMessage` and `chat.update`. `list` gives all messages, newest first.
 */
export function fakeSlack(): { app: Hono; list: () => SlackMessage[] } {
  const messages: SlackMessage[] = [];
  let count = 0;
  const messageOf = (channel: string, payload: { text: string; blocks: SlackBlock[] }): SlackMessage => {
    count += 1;
    const { text, blocks } = payload;
    return { channel, ts: `1772434800.${String(count).padStart(6, '0')}`, text, blocks, replies: [] };
  };
  const app = new Hono();
  app.post('/services/:channel', async (c) => {
    const parsed = parsePayload(await c.req.json().catch(() => undefined));
    if (parsed.kind === 'refused') return c.text(parsed.word, 400);
    messages.push(messageOf(c.req.param('channel'), parsed));
    return c.text('ok');
  });
  app.post('/api/:method', async (c) => {
    const isUpdate = c.req.param('method') === 'chat.update';
    const { channel, thread_ts: thread, ...call } = callSchema.parse(await c.req.parseBody());
    const parsed = parsePayload({ text: call.text, blocks: JSON.parse(call.blocks) });
    if (parsed.kind === 'refused') return refusedWith(c, parsed.word);
    const asked = isUpdate ? call.ts : thread;
    const existing = messages.find((each) => each.channel === channel && each.ts === asked);
    if (asked !== undefined && !existing)
      return refusedWith(c, isUpdate ? 'message_not_found' : 'thread_not_found');
    if (isUpdate && existing) {
      Object.assign(existing, { text: parsed.text, blocks: parsed.blocks });
      return c.json({ ok: true, channel, ts: existing.ts });
    }
    const message = messageOf(channel, parsed);
    (existing?.replies ?? messages).push(message);
    return c.json({ ok: true, channel, ts: message.ts });
  });
  return { app, list: () => messages.toReversed() };
}

/** The Web API answers 200 to calls that it refuses. */
function refusedWith(c: Context, error: string): Response {
  return c.json({ ok: false, error });
}
