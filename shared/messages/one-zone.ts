import { withoutZone } from './figure-text.ts';
import type { MessageItem } from './message.ts';

/**
 * The items without the name of their time zone after each time, and the zone to name once instead. `null` if their zones
 * differ, or if they name none.
 */
export function inOneZone(items: MessageItem[]): { items: MessageItem[]; zone: string | null } {
  const [zone, ...others] = new Set(items.map((item) => item.zone));
  if (zone === undefined || others.length > 0) return { items, zone: null };
  const plain = items.map((item) => withoutZoneIn(item, zone));
  const isNamed = JSON.stringify(plain) !== JSON.stringify(items);
  return { items: plain, zone: isNamed ? zone : null };
}

function withoutZoneIn(item: MessageItem, zone: string): MessageItem {
  return {
    ...item,
    headline: withoutZone(item.headline, zone),
    summary: withoutZone(item.summary, zone),
    facts: item.facts.map((fact) => ({ ...fact, text: withoutZone(fact.text, zone) })),
  };
}
