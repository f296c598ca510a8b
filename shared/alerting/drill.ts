import type { Alert, AlertKey, Debt } from './alert.ts';
import { debtKey } from './debt-key.ts';
import { openOn } from './told.ts';

/** No rule has such an id: a rule's is a slug. */
const PREFIX = 'drill:';

/** After this nobody waits for it any more, and what was not sent is not sent. */
const DRILL_MS = 15 * 60_000;

/** After this the end is not sent to whom the drill is not known to have reached. */
const END_MS = 60 * 60_000;

/** Between the drill and its end, so that a pager has the time to ring. */
const END_AFTER_MS = 60_000;

/** The key of the alert that stands for the fire drills of a route; it is always at rest. */
export function drillKey(route: string): AlertKey {
  return { ruleId: `${PREFIX}${route}`, segment: null };
}

/** The route whose fire drills this stands for; `undefined` for the alert of a rule or an app. */
export function drilledRoute({ ruleId }: Pick<AlertKey, 'ruleId'>): string | undefined {
  return ruleId.startsWith(PREFIX) ? ruleId.slice(PREFIX.length) : undefined;
}

/**
 * Whether it is of a drill that was called so long ago that it would surprise whoever got it. The end of one that was sent
 * never is: it closes what that opened.
 */
export function isStaleDrill(alert: Alert, { transition, channel, since }: Debt, now: number): boolean {
  if (transition === 'drill') return now - since >= DRILL_MS;
  const isUnheard = transition === 'drill-over' && openOn(alert, channel, transition) === undefined;
  return isUnheard && now - since >= END_MS;
}

/** The end that a channel is owed which was sent a drill at `sentAt`, with its key; none after anything else. */
export function drillEndAfter(alert: AlertKey, sent: Debt, sentAt: number): Alert['owed'] {
  return sent.transition === 'drill' ? drillEnd(alert, sent, sentAt + END_AFTER_MS) : {};
}

/** The end of this drill, due at `dueAt`, with its key. */
export function drillEnd(alert: AlertKey, drill: Debt, dueAt: number): Alert['owed'] {
  const owed: Debt = { ...drill, transition: 'drill-over', dueAt, attempts: 0 };
  return { [debtKey(alert, owed)]: owed };
}
