import type { Alert } from '../alerting/alerts/alert.ts';
import { holdsAt } from '../alerting/notifications/holds.ts';
import type { Owed } from '../alerting/notifications/owed.ts';
import type { InForce } from './alert-status.ts';

/**
 * A message that is owed. `held`: nothing of it is told at the moment, because of a calendar, a silence or a snooze.
 * `later`: a reminder that comes if nobody takes the alert until then.
 */
export interface OwedMessage extends Owed {
  waits: 'due' | 'held' | 'later';
}

/** How many messages are still to be sent as things stand; what is held back, or waits for its time, is not. */
export function countDue(owed: OwedMessage[]): number {
  return owed.filter(({ waits }) => waits === 'due').length;
}

/** Every message that is owed, the one that is due first, first. */
export function owedIn(owing: Alert[], inForce: InForce, now: number): OwedMessage[] {
  const { byId, ruleSet, silences } = inForce;
  const holds = ruleSet && holdsAt(now, ruleSet.routes, silences);
  return owing
    .flatMap((alert) =>
      Object.entries(alert.owed).map(([key, debt]): OwedMessage => {
        const owed = { key, alert, debt, rule: byId.get(alert.ruleId) };
        const isReminder = debt.transition === 'reminded' && debt.attempts === 0 && debt.dueAt > now;
        return { ...owed, waits: isReminder ? 'later' : holds?.isHeld(owed) ? 'held' : 'due' };
      }),
    )
    .toSorted((a, b) => a.debt.dueAt - b.debt.dueAt);
}
