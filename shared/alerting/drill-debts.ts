import { type Alert, type Debt, newAlert } from './alert.ts';
import { tickByHand } from './answers.ts';
import { debtKey } from './debt-key.ts';
import { strike, withDebts } from './debts.ts';
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
 * The alert of the route's drills owing this one to its channels; `stored`: as it is kept from earlier ones, which go on.
 * What such a one may have opened on a channel of this is told to be over first.
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
  const isTried = ({ channel, attempts }: Debt) => channels.includes(channel) && attempts > 0;
  const before = withoutDrills(alert, isTried, at);
  return withDebts(alert, { ...hastened(before, drill), ...Object.fromEntries(own) });
}

/** An end that is being sent at this moment is so for no longer. */
const SENDING_MS = 120_000;

/** `owed`, where no channel of this drill waits long for the end of another. */
function hastened(owed: Alert['owed'], { channels, at }: Drill): Alert['owed'] {
  const isWaiting = ({ transition, channel }: Debt) =>
    transition === 'drill-over' && channels.includes(channel);
  const soonest = ({ attempts }: Debt) => (attempts === 0 ? at : at + SENDING_MS);
  return Object.fromEntries(
    Object.entries(owed).map(([key, debt]) => [
      key,
      isWaiting(debt) ? { ...debt, dueAt: Math.min(debt.dueAt, soonest(debt)) } : debt,
    ]),
  );
}

/**
 * The alert owing nothing more of the drill that was called at `calledAt`. Where somebody set out to send it, and it may
 * have got through, its end is owed instead, at `at`.
 */
export function withdrawDrill(alert: Alert, calledAt: number, at: number): Alert {
  const isMeant = ({ windowEndAt }: Debt) => windowEndAt === calledAt;
  const isOwed = Object.values(alert.owed).some((debt) => debt.transition === 'drill' && isMeant(debt));
  return isOwed ? withDebts(alert, withoutDrills(alert, isMeant, at)) : alert;
}

function withoutDrills(alert: Alert, isMeant: (debt: Debt) => boolean, at: number): Alert['owed'] {
  return Object.fromEntries(
    Object.entries(alert.owed).flatMap(([key, debt]): [string, Debt][] => {
      if (debt.transition !== 'drill' || !isMeant(debt)) return [[key, debt]];
      return debt.attempts > 0 ? Object.entries(drillEnd(alert, debt, at)) : [];
    }),
  );
}

/**
 * The alert without what it owes by `key`, which comes too late to be sent. An end outlives its drill for a while, as
 * that may have got through.
 */
export function withoutStale(alert: Alert, key: string, at: number): Alert {
  const debt = alert.owed[key];
  if (!debt) return alert;
  return debt.transition === 'drill' ? withdrawDrill(alert, debt.windowEndAt, at) : strike(alert, [key]);
}
