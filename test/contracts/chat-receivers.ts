import * as z from 'zod';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { channelTo } from '../fixtures/channel-to.ts';
import { type Open, openHttp, SECRET } from './receivers.ts';
import { NOW } from './samples.ts';

const TIMEOUT_MS = 60_000;
const clock = new ManualClock(NOW);

/** https://adaptivecards.io/explorer and https://learn.microsoft.com/connectors/teams: 28 KB per message. */
const block: z.ZodType = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('TextBlock'),
    text: z.string().min(1),
    wrap: z.literal(true),
    spacing: z.enum(['None', 'Medium']).optional(),
  }),
  z.strictObject({
    type: z.literal('Image'),
    url: z.url({ protocol: /^https$/ }),
    altText: z.string(),
    size: z.literal('Stretch'),
  }),
]);
export const teamsSchema = z.strictObject({
  type: z.literal('message'),
  attachments: z.tuple([
    z.strictObject({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      contentUrl: z.null(),
      content: z.strictObject({
        $schema: z.url(),
        type: z.literal('AdaptiveCard'),
        version: z.literal('1.4'),
        msteams: z.strictObject({ width: z.literal('Full') }),
        body: z.tuple([z.looseObject({ type: z.literal('TextBlock'), text: z.string() })], block),
      }),
    }),
  ]),
});

/** The answers of Power Automate. */
export const openTeams: Open = (timeoutMs = TIMEOUT_MS) =>
  openHttp(
    { status: 404, body: '{"error":{"code":"WorkflowNotFound","message":"no workflow xoxkey"}}' },
    (_request, body) => {
      const message = teamsSchema.parse(JSON.parse(body));
      if (Buffer.byteLength(body) > 28 * 1024) throw new RangeError('the card is too long');
      const [title] = message.attachments[0].content.body;
      return { text: unescaped(title.text) };
    },
    (to) =>
      channelTo(
        { teams: { webhook_secret: 'url' } },
        { secret: `https://chat.example/workflows/${SECRET}`, to, clock, timeoutMs },
      ),
    { status: 202 },
  );

const text = (max: number) => z.string().min(1).max(max);
/** https://docs.discord.com/developers/resources/message#embed-object-embed-limits */
const embed = z.strictObject({
  color: z.int().min(0).max(0xffffff),
  description: text(4096),
  image: z.strictObject({ url: z.url() }).optional(),
});
export const discordSchema = z.strictObject({
  content: text(2000),
  embeds: z
    .array(embed)
    .min(1)
    .max(10)
    .refine((embeds) => embeds.map(({ description }) => description).join('').length <= 6000),
  allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
});

/** The answers of https://docs.discord.com/developers/topics/rate-limits and of its JSON error codes. */
export const openDiscord: Open = (timeoutMs = TIMEOUT_MS) =>
  openHttp(
    { status: 404, body: '{"message": "Unknown Webhook xoxkey", "code": 10015}' },
    ({ url }, body) => {
      const { content } = discordSchema.parse(JSON.parse(body));
      if (!url?.endsWith('?wait=true')) throw new RangeError('Discord would not wait');
      return { text: unescaped(content) };
    },
    (to) =>
      channelTo(
        { discord: { webhook_secret: 'url' } },
        { secret: `https://chat.example/api/webhooks/1/${SECRET}`, to, clock, timeoutMs },
      ),
    { status: 200, body: '{"id":"1"}' },
    {
      status: 429,
      headers: { 'Retry-After': '31' },
      body: '{"message":"You are being rate limited.","retry_after":30.0,"global":false}',
    },
  );

/** https://developers.mattermost.com/integrate/reference/message-attachments: one post has 16,383 characters. */
export const mattermostSchema = z.strictObject({
  text: text(16_383),
  attachments: z
    .array(
      z.strictObject({
        fallback: text(1000),
        color: z.string().regex(/^#[0-9a-f]{6}$/),
        text: z.string().max(16_383),
        image_url: z.url().optional(),
      }),
    )
    .min(1),
});

/** The error of a webhook that does not exist has the URL in its request id and details. */
export const openMattermost: Open = (timeoutMs = TIMEOUT_MS) =>
  openHttp(
    {
      status: 400,
      body: '{"id":"web.incoming_webhook.invalid.app_error","message":"Invalid webhook xoxkey.","status_code":400}',
    },
    (_request, body) => {
      const post = mattermostSchema.parse(JSON.parse(body));
      if (body.length > 16_383) throw new RangeError('Mattermost would split the message');
      // Texts mention everybody, and read the links of Slack. Fallbacks are plain.
      const read = [post.text, ...post.attachments.map((each) => each.text)];
      if (/@(?:all|channel|here)\b|<[^\n<|>]+\|/.test(JSON.stringify(read))) return { wrong: 'a mention' };
      return { text: unescaped(post.text.replaceAll('\u200B', '').replaceAll('&lt;', '<')) };
    },
    (to) =>
      channelTo(
        { mattermost: { webhook_secret: 'url' } },
        { secret: `https://chat.example/hooks/${SECRET}`, to, clock, timeoutMs },
      ),
    { status: 200, body: 'ok' },
  );

/** The elements that cards read: https://developers.google.com/workspace/chat/format-messages#card-formatting */
const html = z
  .string()
  .min(1)
  .refine((each) => !/<(?!\/?(?:b|br|a)\b)/.test(each));
const widget = z.union([
  z.strictObject({ textParagraph: z.strictObject({ text: html }) }),
  z.strictObject({
    image: z.strictObject({ imageUrl: z.url({ protocol: /^https$/ }), altText: z.string() }),
  }),
]);
/** https://developers.google.com/workspace/chat/api/reference/rest/v1/cards */
export const googleChatSchema = z.strictObject({
  fallbackText: text(1000),
  cardsV2: z.tuple([
    z.strictObject({
      cardId: z.string(),
      card: z.strictObject({
        sections: z.array(z.strictObject({ widgets: z.array(widget).min(1).max(100) })).min(1),
      }),
    }),
  ]),
});

/** The answers of https://google.aip.dev/193. A rate limit names no time to wait. */
export const openGoogleChat: Open = (timeoutMs = TIMEOUT_MS) =>
  openHttp(
    { status: 404, body: '{"error":{"code":404,"message":"no space xoxkey","status":"NOT_FOUND"}}' },
    (_request, body) => {
      const message = googleChatSchema.parse(JSON.parse(body));
      if (Buffer.byteLength(body) > 32_000) return { wrong: '{"error":{"status":"INVALID_ARGUMENT"}}' };
      return { text: unescaped(message.fallbackText) };
    },
    (to) =>
      channelTo(
        { googlechat: { webhook_secret: 'url' } },
        { secret: `https://chat.example/v1/spaces/A/messages?key=${SECRET}`, to, clock, timeoutMs },
      ),
    { status: 200, body: '{"name":"spaces/A/messages/B.B"}' },
    { status: 429, body: '{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}}' },
  );

/** Without escapes of Markdown, and without the glyph or asterisks around the text. */
function unescaped(text: string): string {
  return text
    .replace(/^\*\*(.*)\*\*(\n.*)?$/s, '$1')
    .replace(/^\p{Extended_Pictographic} /u, '')
    .replaceAll(/\\([^a-z0-9\s])/gi, '$1');
}
