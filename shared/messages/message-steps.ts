import type { Receipt } from '../alerts/alert.ts';
import { type Message, type MessageItem, messageOf } from './message.ts';

/** One step of sending a message through a channel that can change what it has sent. */
export type MessageStep =
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
export function stepsFor(message: Message, conversation: string): MessageStep[] {
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
    } else if (receipt.isDigest || item.about.length > 1) {
      const reply = replies.get(receipt.message) ?? { kind: 'reply', receipt, items: [] };
      replies.set(receipt.message, { ...reply, items: [...reply.items, item] });
    } else updates.push({ kind: 'update', receipt, item });
  }
  return [...postOf(message, posted), ...updates, ...replies.values()];
}

/** Whether a message of these items is about several alerts. */
export function isDigest(items: MessageItem[]): boolean {
  const [first] = items;
  return items.some(
    ({ ruleId, segment, about }) => about.length > 1 || ruleId !== first?.ruleId || segment !== first.segment,
  );
}

function postOf(message: Message, items: MessageItem[]): MessageStep[] {
  if (items.length === 0) return [];
  if (items.length === message.items.length) return [{ kind: 'post', message }];
  return [{ kind: 'post', message: { ...messageOf(items), overviewUrl: message.overviewUrl } }];
}
