import { itemKeyOf } from '../../shared/alerting/messages/shared-cause-item.ts';
import { incidentNews } from '../../shared/alerting/notifications/incident.ts';
import type { PendingNotification } from '../../shared/alerting/notifications/owed.ts';
import { mostSevere } from '../../shared/alerting/rules/severity.ts';

/**
 * What of it a channel is told that has room for so many items, the gravest first; one thing at least. What is owed of
 * one incident stays together, so that its end never gets ahead of its beginning.
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

/** How many items a message of this has. */
export function itemsIn(pending: PendingNotification[]): number {
  return new Set(pending.map(itemKeyOf)).size;
}

/** How grave the gravest of it is: the higher, the more. */
export function severityRank(pending: PendingNotification[]): number {
  return mostSevere(pending.map(({ rule }) => rule));
}

function incidentOf(pending: PendingNotification): string {
  const { ruleId, segment } = pending.alert;
  const { cause, transition } = pending.notification;
  return cause ?? incidentNews({ ruleId, segment, transition })?.key ?? itemKeyOf(pending);
}
