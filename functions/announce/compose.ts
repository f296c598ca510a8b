import { itemKeyOf, messageWithCauses } from '../../shared/alerting/joint-cause-item.ts';
import type { ItemLinks, Message, Owed } from '../../shared/alerting/message.ts';
import { SHOWN } from '../../shared/alerting/message.ts';
import type { MessageLinks } from '../../shared/alerting/ports.ts';
import type { Rule } from '../../shared/alerting/rule.ts';
import type { Logger } from '../../shared/runtime/logger.ts';

export interface ComposeDeps {
  links?: MessageLinks | undefined;
  logger: Logger;
}

/** The message for all this, with the addresses of the items that are shown. One without them is still told. */
export async function compose(owed: Owed[], rules: Rule[], deps: ComposeDeps): Promise<Message> {
  const message = messageWithCauses(distinct(owed), rules);
  const { links } = deps;
  if (!links) return message;
  const single = new Map(
    owed.flatMap((each) => (each.debt.cause === undefined ? [[itemKeyOf(each), each] as const] : [])),
  );
  const shown = await Promise.all(
    message.items.slice(0, SHOWN).map(async (item) => {
      const each = single.get(item.key);
      return each ? { ...item, links: await linksFor(each, links, deps.logger) } : item;
    }),
  );
  return { ...message, items: [...shown, ...message.items.slice(SHOWN)], overviewUrl: links.overviewUrl };
}

async function linksFor(owed: Owed, links: MessageLinks, logger: Logger): Promise<ItemLinks | null> {
  try {
    return await links.linksFor(owed);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error';
    logger.warn('a message goes without its links', { rule: owed.alert.ruleId, reason });
    return null;
  }
}

/** A channel that stands in for another may be owed the same twice. */
function distinct(owed: Owed[]): Owed[] {
  const identity = (each: Owed) => (each.debt.cause === undefined ? itemKeyOf(each) : each.key);
  return [...new Map(owed.map((each) => [identity(each), each])).values()];
}
