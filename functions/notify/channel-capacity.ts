import { itemKeyOf } from '../../shared/alerting/messages/shared-cause-item.ts';
import { incidentNews } from '../../shared/alerting/notifications/incident.ts';
import type { Owed } from '../../shared/alerting/notifications/owed.ts';
import { severest } from '../../shared/alerting/rules/severity.ts';

/**
 * What of it a channel is told that has room for so many items, the gravest first; one thing at least. What is owed of
 * one incident stays together, so that its end never gets ahead of its beginning.
 */
export function withinRoom(owed: Owed[], room: number): Owed[] {
  if (itemsIn(owed) <= room) return owed;
  const incidents = [...Map.groupBy(owed, incidentOf).values()];
  const within = new Set<Owed>();
  let left = room;
  for (const incident of incidents.toSorted((a, b) => gravityOf(b) - gravityOf(a))) {
    left -= itemsIn(incident);
    if (left < 0 && within.size > 0) break;
    for (const each of incident) within.add(each);
  }
  return owed.filter((each) => within.has(each));
}

/** How many items a message of this has. */
export function itemsIn(owed: Owed[]): number {
  return new Set(owed.map(itemKeyOf)).size;
}

/** How grave the gravest of it is: the higher, the more. */
export function gravityOf(owed: Owed[]): number {
  return severest(owed.map(({ rule }) => rule));
}

function incidentOf(owed: Owed): string {
  const { ruleId, segment } = owed.alert;
  const { cause, transition } = owed.debt;
  return cause ?? incidentNews({ ruleId, segment, transition })?.key ?? itemKeyOf(owed);
}
