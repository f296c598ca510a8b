import { itemKeyOf } from '../../shared/messages/shared-cause-item.ts';
import { incidentNews } from '../../shared/notifications/incident.ts';
import type { PendingNotification } from '../../shared/notifications/pending.ts';
import { mostSevere } from '../../shared/rules/rule.ts';

/**
 * The notifications to send to a channel with room for `room` items: most severe first, and at least one incident.
 * Notifications of one incident stay together, so that its end is never sent before its start.
 */
export function withinCapacity(pending: PendingNotification[], room: number): PendingNotification[] {
  if (itemsIn(pending) <= room) return pending;
  const incidents = [...Map.groupBy(pending, incidentOf).values()];
  const within = new Set<PendingNotification>();
  let left = room;
  for (const incident of incidents.toSorted((a, b) => severityRank(b) - severityRank(a))) {
    left -= itemsIn(incident);
    if (left < 0 && within.size > 0) break;
    for (const each of incident) within.add(each);
  }
  return pending.filter((each) => within.has(each));
}

/** The number of items in a message with these notifications. */
export function itemsIn(pending: PendingNotification[]): number {
  return new Set(pending.map(itemKeyOf)).size;
}

/** The severity of the most severe notification: a higher number is more severe. */
export function severityRank(pending: PendingNotification[]): number {
  return mostSevere(pending.map(({ rule }) => rule));
}

function incidentOf(pending: PendingNotification): string {
  const { ruleId, segment } = pending.alert;
  const { cause, transition } = pending.notification;
  return cause ?? incidentNews({ ruleId, segment, transition })?.key ?? itemKeyOf(pending);
}
