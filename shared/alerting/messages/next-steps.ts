import { appOf } from '../alerts/app-alert.ts';
import { saysNext, type WithNext } from '../alerts/transitions.ts';
import type { PendingNotification } from '../notifications/pending.ts';
import { MAX_CATCH_UP } from '../time/cadence.ts';

/** What happens next for notifications without figures, without the full stop. */
const WHAT_NOW: Record<WithNext, string> = {
  restarted: 'If the values breach the changed rule, it fires again',
  'no-data': 'The alert keeps its state until data arrives. You will be notified',
  failing: 'This is not an all-clear. The next run retries the same windows',
  broken: 'Each run tries again. You will be notified when a run succeeds',
  stalled: 'The windows are evaluated when calls are available again. You will be notified',
  healed: `The missed windows (up to the last ${MAX_CATCH_UP}) are being evaluated now`,
  'matches-nothing':
    'If the event is rare, this can be correct; you will not be notified again. Otherwise correct the rule: deltawatch check --live lists the names that exist',
  stopped: 'Rules for this app are paused until data arrives. You will be notified',
  resumed: `The missed windows (up to the last ${MAX_CATCH_UP}) are being evaluated now`,
};

/** What happens next; `undefined` once the app or rule is removed. */
export function whatNow({
  alert,
  notification,
  rule,
}: Pick<PendingNotification, 'alert' | 'notification' | 'rule'>): string | undefined {
  const isOfApp = appOf(alert) !== undefined;
  const { transition } = notification;
  const isGone = isOfApp ? transition === 'restarted' : !rule;
  return isGone || !saysNext(transition) ? undefined : WHAT_NOW[transition];
}
