import { bareItem, type ItemLinks, type Message, messageOf } from '../../shared/messages/message.ts';
import type { MessageLinks } from '../../shared/messages/message-links.ts';
import { noteSpan } from '../../shared/messages/note-text.ts';
import { itemKeyOf, messageWithCauses } from '../../shared/messages/shared-cause-item.ts';
import type { PendingNotification } from '../../shared/notifications/pending.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { errorText } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { NotifyDeps } from './sweep.ts';

export interface ComposeDeps {
  links?: MessageLinks | undefined;
  logger: Logger;
}

/**
 * The message for these notifications. The first `shown` items have links, and items with a message of their own. Links
 * that fail are left out.
 */
export async function compose(
  pending: PendingNotification[],
  rules: Rule[],
  deps: ComposeDeps,
  shown: number,
): Promise<Message> {
  const message = worded(pending, rules, deps.logger);
  const { links } = deps;
  if (!links) return message;
  const single = new Map(
    pending.flatMap((each) => (isOfAlert(each) ? [[itemKeyOf(each), each] as const] : [])),
  );
  const linked = await Promise.all(
    message.items.map(async (item, i) => {
      const each = i < shown || item.receipt ? single.get(item.key) : undefined;
      return each ? { ...item, links: await linksFor(each, links, deps.logger) } : item;
    }),
  );
  return { ...message, items: linked, overviewUrl: links.overviewUrl };
}

/** A common cause of several alerts has no alert of its own to link to. */
function isOfAlert({ notification }: PendingNotification): boolean {
  return notification.cause === undefined;
}

/** An item whose text fails gets a plain one with its name, so that it does not block the others. */
function worded(pending: PendingNotification[], rules: Rule[], logger: Logger): Message {
  try {
    return messageWithCauses(pending, rules);
  } catch {
    const items = [...Map.groupBy(pending, itemKeyOf)].flatMap(([key, own]) => {
      try {
        return messageWithCauses(own, rules).items;
      } catch (error) {
        logger.error('the text of a message could not be built; a plain one is sent', {
          key,
          reason: errorText(error),
        });
        return own.slice(0, 1).map((each) => ({ ...bareItem(each), key }));
      }
    });
    return messageOf(items);
  }
}

async function linksFor(
  pending: PendingNotification,
  links: MessageLinks,
  logger: Logger,
): Promise<ItemLinks | null> {
  try {
    return await links.linksFor(pending);
  } catch (error) {
    logger.warn('a message is sent without links', { rule: pending.alert.ruleId, reason: errorText(error) });
    return null;
  }
}

/** Adds the notes that the messages name. Messages are sent without them if they cannot be read. */
export async function withNotes(
  pending: PendingNotification[],
  { notes, logger }: Pick<NotifyDeps, 'notes' | 'logger'>,
): Promise<PendingNotification[]> {
  const spans = pending.flatMap((each) => noteSpan(each) ?? []);
  if (spans.length === 0) return pending;
  try {
    const found = await notes.load({
      fromAt: Math.min(...spans.map(({ startAt }) => startAt)),
      throughAt: Math.max(...spans.map(({ endAt }) => endAt)),
    });
    return found.length === 0 ? pending : pending.map((each) => ({ ...each, notes: found }));
  } catch (error) {
    logger.warn('notes could not be read; messages are sent without them', { reason: errorText(error) });
    return pending;
  }
}
