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
 * Only news in the thread that asks somebody to act is also shown in the channel. News of alerts that were sent together
 * is posted, like a new alert. Throws `ConfigError` for a token that is not one of a bot.
 */
export function createSlackBotChannel(options: SlackBotOptions): Channel {
  const { token, channel, clock, timeoutMs = 5000, messageTimeoutMs } = options;
  if (!/^xoxb-\S+$/.test(token.trim()))
    throw new ConfigError('the Slack bot token does not begin with "xoxb-"; check its secret');
  const call = slackWebApi({ ...options, timeoutMs });
  return {
    async send(message) {
      const receipts = new Map<string, Receipt>();
      const { posted, updated } = stepsFor(message, channel);
      const turns = [...posted, ...updated].map((step) => async (signal: AbortSignal): Promise<Turn> => {
        const callNow: CallSlack = (method, payload) => call(method, payload, signal);
        const taken =
          'items' in step ? await post(step, callNow, options) : await update(step, callNow, options);
        if (!('receipt' in taken)) return taken;
        const { items, receipt } = taken;
        if (receipt) for (const { key } of items) receipts.set(key, receipt);
        return { sentKeys: items.map(({ key }) => key) };
      });
      return withReceipts(await sendInTurn(turns, clock, messageTimeoutMs), receipts);
    },
  };
}

const NO_PREVIEWS = { unfurl_links: false, unfurl_media: false };

/** `receipt`: of a message about one alert, which can be updated. */
type Taken = { items: MessageItem[]; receipt: Receipt | undefined } | Turn;

async function post(message: Message, call: CallSlack, options: SlackBotOptions): Promise<Taken> {
  const { items } = message;
  const posted = await show('chat.postMessage', message, call, { ...options, at: NO_PREVIEWS });
  if (posted.kind === 'refused') return turnOf(posted);
  const isOfOne = new Set(items.map(alertOf)).size === 1;
  return {
    items,
    receipt: isOfOne ? { conversation: options.channel, message: posted.message } : undefined,
  };
}

/** The message of one alert gets its present state, and its thread the news. */
async function update({ item, receipt }: Update, call: CallSlack, options: SlackBotOptions): Promise<Taken> {
  const message = messageOf([item]);
  const updated = await show('chat.update', message, call, { ...options, at: { ts: receipt.message } });
  if (updated.kind === 'refused') return elsewhere(updated, message, call, options);
  const at = { thread_ts: receipt.message, reply_broadcast: asksToAct(item), ...NO_PREVIEWS };
  const replied = await call('chat.postMessage', {
    ...slackReply(item, options),
    ...{ channel: options.channel, ...at },
  });
  return replied.kind === 'done' ? { items: [item], receipt } : elsewhere(replied, message, call, options);
}

/** Posts the news as a new message if the message that it belongs to is gone. */
async function elsewhere(
  refused: Called & { kind: 'refused' },
  message: Message,
  call: CallSlack,
  options: SlackBotOptions,
): Promise<Taken> {
  return GONE.has(refused.error ?? '') ? post(message, call, options) : turnOf(refused);
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

interface Update {
  receipt: Receipt;
  item: MessageItem;
}

/**
 * The steps that deliver `message` to `conversation`. Alerts without a message there are posted together, before
 * anything else. A receipt of another conversation counts as none: the channel was changed in the routes.
 */
function stepsFor(message: Message, conversation: string): { posted: Message[]; updated: Update[] } {
  const posted: MessageItem[] = [];
  const updated: Update[] = [];
  for (const item of message.items) {
    const { receipt } = item;
    // News that follows a new fire of its alert is about that fire.
    const isBegun = posted.some((each) => alertOf(each) === alertOf(item));
    if (receipt?.conversation !== conversation || isBegun) posted.push(item);
    else updated.push({ receipt, item });
  }
  if (posted.length === 0) return { posted: [], updated };
  const ofPosted = { ...messageOf(posted), overviewUrl: message.overviewUrl };
  return { posted: [updated.length === 0 ? message : ofPosted], updated };
}

function alertOf({ ruleId, segment }: MessageItem): string {
  return JSON.stringify([ruleId, segment]);
}
