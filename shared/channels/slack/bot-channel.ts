import type { Receipt } from '../../alerts/alert.ts';
import type { Channel, Receipts, SendResult } from '../../messages/channel.ts';
import { type Message, type MessageItem, messageOf } from '../../messages/message.ts';
import { ConfigError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { hasPictures, withoutPictures } from '../chat-layout.ts';
import { sendInTurn, type Turn } from '../send-in-turn.ts';
import { type SlackLayout, slackBlocks, slackReply } from './blocks.ts';
import { asksToAct } from './mentions.ts';
import { type Called, type CallSlack, slackWebApi, type WebApiOptions } from './web-api.ts';

/** `timeoutMs`: of one call. */
export interface SlackBotOptions extends SlackLayout, WebApiOptions {
  /** The id of the channel. */
  channel: string;
  /** Of a message, which takes up to six calls per alert. */
  messageTimeoutMs?: number;
  /** Called for messages that were sent without their pictures. */
  logger?: Pick<Logger, 'warn'>;
}

/** The message is gone, or not the bot's any more: the news is posted as a new message. */
const GONE = new Set([
  ...['message_not_found', 'thread_not_found', 'invalid_thread_ts', 'cannot_reply_to_message'],
  ...['cant_update_message', 'edit_window_closed', 'is_inactive'],
]);

/** Errors of one message; the next one may still be accepted. */
const OF_ONE_MESSAGE = new Set([
  'msg_too_long',
  'msg_blocks_too_long',
  'invalid_blocks',
  'invalid_blocks_format',
]);

/**
 * Sends messages as a bot: one message per alert, which always shows its present state, with the news in its thread.
 * Only news in the thread that asks somebody to act is also shown in the channel. A message about several alerts stays
 * as it is. Throws `ConfigError` for a token that is not one of a bot.
 */
export function createSlackBotChannel(options: SlackBotOptions): Channel {
  const { token, channel, clock, timeoutMs = 5000, messageTimeoutMs } = options;
  if (!/^xoxb-\S+$/.test(token.trim()))
    throw new ConfigError('the Slack bot token does not begin with "xoxb-"; check its secret');
  const call = slackWebApi({ ...options, timeoutMs });
  return {
    async send(message) {
      const receipts = new Map<string, Receipt>();
      const turns = stepsFor(message, channel).map((step) => async (signal: AbortSignal): Promise<Turn> => {
        const taken = await take(step, (method, payload) => call(method, payload, signal), options);
        if (!('receipt' in taken)) return taken;
        for (const { key } of taken.items) receipts.set(key, taken.receipt);
        return { sentKeys: taken.items.map(({ key }) => key) };
      });
      return withReceipts(await sendInTurn(turns, clock, messageTimeoutMs), receipts);
    },
  };
}

const NO_PREVIEWS = { unfurl_links: false, unfurl_media: false };

type Taken = { items: MessageItem[]; receipt: Receipt } | Turn;

async function take(step: MessageStep, call: CallSlack, options: SlackBotOptions): Promise<Taken> {
  switch (step.kind) {
    case 'post':
      return post(step.message, call, options);
    case 'update': {
      const { item, receipt } = step;
      const at = { ts: receipt.message };
      const updated = await show('chat.update', messageOf([item]), call, { ...options, at });
      return updated.kind === 'done'
        ? reply([item], receipt, call, options)
        : elsewhere(updated, [item], call, options);
    }
    case 'reply':
      return reply(step.items, step.receipt, call, options);
  }
}

async function post(message: Message, call: CallSlack, options: SlackBotOptions): Promise<Taken> {
  const { items } = message;
  const posted = await show('chat.postMessage', message, call, { ...options, at: NO_PREVIEWS });
  if (posted.kind === 'refused') return turnOf(posted);
  const conversation = options.channel;
  return { items, receipt: { conversation, message: posted.message, isDigest: isDigest(items) } };
}

async function reply(
  items: MessageItem[],
  receipt: Receipt,
  call: CallSlack,
  options: SlackBotOptions,
): Promise<Taken> {
  const at = { thread_ts: receipt.message, reply_broadcast: items.some(asksToAct), ...NO_PREVIEWS };
  const replied = await call('chat.postMessage', {
    ...slackReply(items, options),
    ...{ channel: options.channel, ...at },
  });
  return replied.kind === 'done' ? { items, receipt } : elsewhere(replied, items, call, options);
}

/** Posts the news as a new message if the message that it belongs to is gone. */
async function elsewhere(
  refused: Called & { kind: 'refused' },
  items: MessageItem[],
  call: CallSlack,
  options: SlackBotOptions,
): Promise<Taken> {
  return GONE.has(refused.error ?? '') ? post(messageOf(items), call, options) : turnOf(refused);
}

/** Posts or updates a message; once more without pictures if Slack may have rejected one of them. */
async function show(
  method: Parameters<CallSlack>[0],
  message: Message,
  call: CallSlack,
  { at, ...options }: SlackBotOptions & { at: Record<string, unknown> },
): Promise<Called> {
  const { channel, logger } = options;
  const called = await call(method, { ...slackBlocks(message, options), channel, ...at });
  if (called.kind === 'done' || called.error !== 'invalid_blocks' || !hasPictures(message)) return called;
  logger?.warn('a message is sent without its pictures', { reason: called.refusal.reason });
  return call(method, { ...slackBlocks(withoutPictures(message), options), channel, ...at });
}

function turnOf({ refusal, error }: Called & { kind: 'refused' }): Turn {
  return { sentKeys: [], refusal, goesOn: OF_ONE_MESSAGE.has(error ?? '') };
}

function withReceipts(result: SendResult, receipts: Receipts): SendResult {
  if (result.kind !== 'refused' || receipts.size > 0) return { ...result, receipts };
  // Certainly nothing was delivered, so the attempt does not count.
  const { sentKeys: _, ...refusal } = result;
  return refusal;
}

/** One step of sending a message through a channel that can change what it has sent. */
type MessageStep =
  /** A new message. */
  | { kind: 'post'; message: Message }
  /** The message of one alert gets its present state, and its thread the news. */
  | { kind: 'update'; receipt: Receipt; item: MessageItem }
  /** A message about several alerts stays as it is; its thread gets the news. */
  | { kind: 'reply'; receipt: Receipt; items: MessageItem[] };

/**
 * The steps that deliver `message` to `conversation`. Alerts without a message there are posted together, before
 * anything else. A receipt of another conversation counts as none: the channel was changed in the routes.
 */
function stepsFor(message: Message, conversation: string): MessageStep[] {
  const posted: MessageItem[] = [];
  const updates: MessageStep[] = [];
  const replies = new Map<string, MessageStep & { kind: 'reply' }>();
  const begun = new Set<string>();
  for (const item of message.items) {
    const alert = JSON.stringify([item.ruleId, item.segment]);
    const { receipt } = item;
    // News that follows a new fire of its alert is about that fire.
    if (receipt?.conversation !== conversation || begun.has(alert)) {
      begun.add(alert);
      posted.push(item);
    } else if (receipt.isDigest) {
      const reply = replies.get(receipt.message) ?? { kind: 'reply', receipt, items: [] };
      replies.set(receipt.message, { ...reply, items: [...reply.items, item] });
    } else updates.push({ kind: 'update', receipt, item });
  }
  return [...postOf(message, posted), ...updates, ...replies.values()];
}

/** Whether a message of these items is about several alerts. */
function isDigest(items: MessageItem[]): boolean {
  const [first] = items;
  return items.some(({ ruleId, segment }) => ruleId !== first?.ruleId || segment !== first.segment);
}

function postOf(message: Message, items: MessageItem[]): MessageStep[] {
  if (items.length === 0) return [];
  if (items.length === message.items.length) return [{ kind: 'post', message }];
  return [{ kind: 'post', message: { ...messageOf(items), overviewUrl: message.overviewUrl } }];
}
