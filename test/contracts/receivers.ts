import type { IncomingMessage, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import * as z from 'zod';
import { createEventBridgeChannel } from '../../shared/channels/eventbridge/channel.ts';
import { webhookBodySchema } from '../../shared/channels/published-alert.ts';
import { createSlackBotChannel } from '../../shared/channels/slack/bot-channel.ts';
import { createSlackChannel } from '../../shared/channels/slack/channel.ts';
import { createSnsChannel } from '../../shared/channels/sns/channel.ts';
import type { Channel } from '../../shared/messages/channel.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { createFakeChannel } from '../fakes/fake-channel.ts';
import { channelTo } from '../fixtures/channel-to.ts';
import { type LoopbackServer, listen } from '../fixtures/loopback-server.ts';
import { startEventBridgeServer } from './eventbridge-server.ts';
import { NOW } from './samples.ts';
import { startSnsServer } from './sns-server.ts';

export type Trouble = 'busy' | 'down' | 'gone' | 'cut' | 'silence';

/** The receiving side of a channel. */
export interface Receiver extends AsyncDisposable {
  channel: Channel;
  /** Makes the next message fail this way. */
  next(trouble: Trouble): void;
  /** The headlines of the received messages, in order. */
  received(): string[];
}

export const SECRET = 'xoxkey';
/** Long enough for a busy machine. */
const TIMEOUT_MS = 60_000;

/** Opens a receiver with a channel that has this timeout. */
export type Open = (timeoutMs?: number) => Promise<Receiver>;

export async function openFake(): Promise<Receiver> {
  const channel = createFakeChannel();
  const refusals = {
    busy: { permanent: false, retryAfterMs: 30_000 },
    gone: { permanent: true },
  };
  return {
    channel,
    next: (trouble) => {
      const how = trouble === 'busy' || trouble === 'gone' ? refusals[trouble] : { permanent: false };
      channel.refuseNext({ kind: 'refused', reason: trouble, ...how });
    },
    received: () => channel.sent.map((message) => message.text),
    [Symbol.asyncDispose]: async () => {},
  };
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** A receiver over HTTP. `take` returns the text of a request, what is wrong with it, or what else to answer. */
export async function openHttp(
  gone: Answer,
  take: (
    request: IncomingMessage,
    body: string,
  ) => { text: string } | { wrong: string } | { text?: string; answer: Answer },
  channelTo: (server: LoopbackServer) => Channel,
  taken: Answer,
  busy: Answer = { status: 429, headers: { 'Retry-After': '30' } },
): Promise<Receiver> {
  const received: string[] = [];
  const troubles: Trouble[] = [];
  const refusals: Record<'busy' | 'down' | 'gone', Answer> = {
    busy,
    down: { status: 500, body: 'error' },
    gone,
  };
  const answer = (response: ServerResponse, { status, headers, body }: Answer) =>
    void response.writeHead(status, headers).end(body);
  const server = await listen((request, body, response) => {
    const trouble = troubles.shift();
    if (trouble === 'silence') return;
    if (trouble === 'cut') return void request.socket.destroy();
    if (trouble) return answer(response, refusals[trouble]);
    const arrived = take(request, body);
    if ('wrong' in arrived) return answer(response, { status: 400, body: arrived.wrong });
    if (arrived.text !== undefined) received.push(arrived.text);
    answer(response, 'answer' in arrived ? arrived.answer : taken);
  });
  return {
    channel: channelTo(server),
    next: (trouble) => void troubles.push(trouble),
    received: () => received,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const slackSchema = z.object({ text: z.string().max(40_000), blocks: z.array(z.unknown()).max(50) });

export const openSlack: Open = (timeoutMs = TIMEOUT_MS) =>
  openHttp(
    { status: 404, body: 'no_service' },
    (_request, body) => {
      const { text } = slackSchema.parse(JSON.parse(body));
      if (/<[!@#]/.test(withoutPlainText(body))) return { wrong: 'invalid_payload' };
      return { text: unescaped(text) };
    },
    ({ url }) =>
      createSlackChannel({ webhookUrl: `${url}/services/${SECRET}`, clock: new ManualClock(NOW), timeoutMs }),
    { status: 200, body: 'ok' },
  );

/** Slack reads the calls of a bot as forms, and answers 200 with `ok: false` to those that it refuses. */
export const openSlackBot: Open = (timeoutMs = TIMEOUT_MS) =>
  openHttp(
    { status: 200, body: '{"ok":false,"error":"channel_not_found"}' },
    ({ headers, url }, body) => {
      const form = Object.fromEntries(new URLSearchParams(body));
      if (headers.authorization !== `Bearer xoxb-${SECRET}` || url !== '/api/chat.postMessage')
        return { wrong: 'not_authed' };
      const { text } = slackSchema.parse({ ...form, blocks: JSON.parse(form.blocks ?? '') });
      if (/<[!@#]/.test(withoutPlainText(form.blocks ?? ''))) return { wrong: 'invalid_blocks' };
      return { text: unescaped(text) };
    },
    ({ url }) =>
      createSlackBotChannel({
        ...{ token: `xoxb-${SECRET}`, channel: 'C0123456789', address: `${url}/api/`, timeoutMs },
        clock: new ManualClock(NOW),
      }),
    { status: 200, body: '{"ok":true,"channel":"C0123456789","ts":"1700000000.000100"}' },
  );

/** Slack reads `<!here>` as a mention, except in plain text, such as that of a picture. */
function withoutPlainText(json: string): string {
  return json.replaceAll(/"(?:type":"plain_text","text|alt_text)":"(?:[^"\\]|\\.)*"/g, '');
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

export const ROUTING_KEY = `${SECRET}${'0'.repeat(26)}`;

/** https://developer.pagerduty.com/docs/send-alert-event */
export const pagerDutyEventSchema = z.object({
  routing_key: z.literal(ROUTING_KEY),
  event_action: z.enum(['trigger', 'acknowledge', 'resolve']),
  dedup_key: z.string().min(1).max(255),
  client: z.string().optional(),
  client_url: z.url().optional(),
  payload: z
    .object({
      summary: z.string().min(1).max(1024),
      source: z.string().min(1),
      severity: z.enum(['critical', 'error', 'warning', 'info']),
      timestamp: z.iso.datetime(),
      component: z.string(),
      class: z.string(),
      group: z.string().optional(),
      custom_details: z.record(z.string(), z.unknown()),
    })
    .optional(),
  links: z.array(z.object({ href: z.url(), text: z.string() })).optional(),
  images: z
    .array(z.object({ src: z.url({ protocol: /^https$/ }), href: z.url().optional(), alt: z.string() }))
    .optional(),
});

export const openPagerDuty: Open = (timeoutMs = TIMEOUT_MS) =>
  openHttp(
    { status: 400, body: '{"status":"invalid event","errors":["Length of \'routing_key\' is incorrect"]}' },
    (_request, body) => {
      const event = pagerDutyEventSchema.safeParse(JSON.parse(body));
      if (!event.success || body.length > 512 * 1024) return { wrong: '{"status":"invalid event"}' };
      return { text: event.data.payload?.summary ?? event.data.event_action };
    },
    (to) => {
      const config = { pagerduty: { routing_key_secret: 'key' } };
      return channelTo(config, { secret: ROUTING_KEY, to, clock: new ManualClock(NOW), timeoutMs });
    },
    { status: 202, body: '{"status":"success"}' },
  );

export const SIGNING_SECRET = `whsec_${Buffer.from(`${SECRET} of thirty-two bytes, or so`).toString('base64')}`;

export const openWebhook: Open = (timeoutMs = TIMEOUT_MS) =>
  openHttp(
    { status: 410 },
    ({ headers }, body) => {
      const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
      const signature = new Webhook(SIGNING_SECRET).sign(String(headers['webhook-id']), sentAt, body);
      if (signature !== headers['webhook-signature'] || sentAt.getTime() !== NOW) return { wrong: 'forged' };
      return { text: webhookBodySchema.parse(JSON.parse(body)).text };
    },
    ({ url }) =>
      channelTo(
        { webhook: { url_secret: 'url', signing_secret: 'key', allow_private: true } },
        {
          ...{ secret: { url: `${url}/${SECRET}`, key: SIGNING_SECRET } },
          ...{ clock: new ManualClock(NOW), timeoutMs },
        },
      ),
    { status: 204 },
  );

export const AWS_REFUSALS = {
  busy: { status: 400, code: 'ThrottlingException' },
  down: { status: 500, code: 'InternalFailure' },
  gone: { status: 404, code: 'NotFound' },
  cut: 'cut',
  silence: 'silence',
} as const;

export const openSns: Open = async (timeoutMs = TIMEOUT_MS) => {
  const sns = await startSnsServer(timeoutMs);
  return {
    channel: createSnsChannel(sns.client, 'arn:aws:sns:local:123456789012:alerts'),
    next: (trouble) => void sns.troubles.push(AWS_REFUSALS[trouble]),
    received: () => sns.published.map(({ message }) => message.split('\n\n')[0] ?? ''),
    [Symbol.asyncDispose]: () => sns[Symbol.asyncDispose](),
  };
};

export const openEventBridge: Open = async (timeoutMs = TIMEOUT_MS) => {
  const bus = await startEventBridgeServer(timeoutMs);
  return {
    channel: createEventBridgeChannel(bus.client, 'alerts', new ManualClock(NOW)),
    next: (trouble) => void bus.troubles.push(AWS_REFUSALS[trouble]),
    received: () => bus.events.map(({ detail }) => detail.headline),
    [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose](),
  };
};
