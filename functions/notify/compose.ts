import type { WatchedApp } from '../../shared/alerts/app-alert.ts';
import {
  bareItem,
  type ItemLinks,
  itemKeyOf,
  type Message,
  messageFor,
  messageOf,
} from '../../shared/messages/message.ts';
import type { MessageLinks } from '../../shared/messages/message-links.ts';
import { noteSpan } from '../../shared/messages/notes-text.ts';
import type { PendingNotification } from '../../shared/notifications/pending.ts';
import { errorText } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { eachOf } from './loaded-alerts.ts';
import type { NotifyDeps } from './sweep.ts';

export interface ComposeDeps {
  links?: MessageLinks | undefined;
  logger: Logger;
}

/** The message for these notifications, with links. Links that fail are left out. */
export async function compose(
  pending: PendingNotification[],
  apps: WatchedApp[],
  deps: ComposeDeps,
): Promise<Message> {
  const message = worded(pending, apps, deps.logger);
  const { links } = deps;
  if (!links) return message;
  const byKey = new Map(pending.map((each) => [itemKeyOf(each), each]));
  const linked = await eachOf(message.items, async (item) => {
    const each = byKey.get(item.key);
    return each ? { ...item, links: await linksFor(each, links, deps.logger) } : item;
  });
  return { ...message, items: linked, overviewUrl: links.overviewUrl };
}

/** An item whose text fails gets a plain one with its name, so that it does not block the others. */
function worded(pending: PendingNotification[], apps: WatchedApp[], logger: Logger): Message {
  try {
    return messageFor(pending, apps);
  } catch {
    const items = pending.flatMap((each) => {
      try {
        return messageFor([each]).items;
      } catch (error) {
        logger.error('the text of a message could not be built; a plain one is sent', {
          key: each.key,
          reason: errorText(error),
        });
        return [bareItem(each)];
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
