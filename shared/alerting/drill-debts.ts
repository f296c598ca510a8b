import { type Alert, type Debt, newAlert } from './alert.ts';
import { tickByHand } from './answers.ts';
import { debtKey } from './debt-key.ts';
import { withDebts } from './debts.ts';
import { drillEnd, drillKey } from './drill.ts';
import type { Severity } from './rule.ts';

/** A fire drill: who is to be told, who called it, and why, which may be empty. */
export interface Drill {
  route: string;
  channels: string[];
  by: string;
  reason: string;
  severity: Severity;
  at: number;
}

/**
 * The alert of the route's drills owing this one to its channels; `stored`: as it is kept from earlier ones. An end that
 * a channel still waits for stays owed, and is told first.
 */
export function callDrill(stored: Alert | undefined, drill: Drill): Alert {
  const { route, channels, by, reason, severity, at } = drill;
  const alert = stored ?? newAlert(drillKey(route), 'drill', 0);
  const debts = channels.map((channel): Debt => {
    const about = { transition: 'drill', channel, route, reason, drill: { by, severity } } as const;
    const when = { tick: tickByHand(at).id, windowEndAt: at, since: at, dueAt: at, attempts: 0 };
    return {
      ...about,
      ...when,
      ...{ evaluation: null, firedWindowEndAt: null, firstRead: null, drivers: [] },
    };
  });
  const own = debts.map((debt) => [debtKey(alert, debt), debt]);
  return withDebts(alert, { ...endsOf(alert, at), ...Object.fromEntries(own) });
}

/** The ends that are owed: those that wait for their time need not wait for it. */
function endsOf({ owed }: Alert, at: number): Alert['owed'] {
  const ends = Object.entries(owed).filter(([, { transition }]) => transition === 'drill-over');
  return Object.fromEntries(
    ends.map(([key, debt]) => [
      key,
      debt.attempts === 0 ? { ...debt, dueAt: Math.min(debt.dueAt, at) } : debt,
    ]),
  );
}

/**
 * The alert owing no drill any more. Of one that somebody set out to send, and that may have got through, its end is
 * owed instead, at `at`.
 */
export function withdrawDrill(alert: Alert, at: number): Alert {
  const drills = Object.entries(alert.owed).filter(([, { transition }]) => transition === 'drill');
  if (drills.length === 0) return alert;
  const kept = Object.entries(alert.owed).filter(([, { transition }]) => transition !== 'drill');
  const ends = drills.flatMap(([, debt]) =>
    debt.attempts > 0 ? Object.entries(drillEnd(alert, debt, at)) : [],
  );
  return withDebts(alert, Object.fromEntries([...kept, ...ends]));
}
