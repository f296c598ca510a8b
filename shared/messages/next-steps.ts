import { appOf } from '../alerts/app-alert.ts';
import { saysNext, type WithNext } from '../alerts/transitions.ts';
import type { PendingNotification } from '../notifications/pending.ts';
import { MAX_CATCH_UP } from '../time/cadence.ts';

/** What happens next for notifications without figures, without the full stop. */
const WHAT_NOW: Record<WithNext, string> = {
  restarted: 'If the values breach the changed rule, it fires again',
  'no-data': 'The alert keeps its state until data arrives. You will be notified when it does',
  'data-back': 'The rule is being evaluated again',
  failing: 'This is not an all-clear. The next run retries the same windows',
  broken: 'Each run tries again. You will be notified when a run succeeds',
  stalled: 'The windows will be evaluated when calls are available again, and you will be notified then',
  healed: `The missed windows, at most the last ${MAX_CATCH_UP}, are being evaluated now`,
  'matches-nothing':
    'If the event is rare, this may be fine. Otherwise, fix the rule: deltawatch check --live lists the names that exist. You will not be notified about this again',
  stopped: 'Rules for this app are paused until data arrives. You will be notified when it does',
  resumed: `The missed windows, at most the last ${MAX_CATCH_UP}, are being evaluated now`,
};

/** Calls are left, but the runs have no time for the queries of the rule. */
const NO_TIME = 'The windows will be evaluated when a run has time for them, and you will be notified then';

/** What happens next; `undefined` once the app or rule is removed. */
export function whatNow({
  alert,
  notification,
  rule,
}: Pick<PendingNotification, 'alert' | 'notification' | 'rule'>): string | undefined {
  const isOfApp = appOf(alert) !== undefined;
  const { transition, reason } = notification;
  const isGone = isOfApp ? transition === 'restarted' : !rule;
  if (isGone || !saysNext(transition)) return undefined;
  return transition === 'stalled' && reason.code === 'out-of-time' ? NO_TIME : WHAT_NOW[transition];
}
