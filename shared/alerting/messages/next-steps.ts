import { appOf } from '../alerts/app-alert.ts';
import { saysNext, type WithNext } from '../alerts/transitions.ts';
import type { PendingNotification } from '../notifications/owed.ts';
import { MAX_CATCH_UP } from '../time/cadence.ts';

/** What happens next of itself, for news that have no figures; without the last full stop. */
const WHAT_NOW: Record<WithNext, string> = {
  restarted: 'If it still is wrong by the changed rule, it fires again',
  'no-data': 'The alert is held as it is until there is a value again; you hear of that',
  failing: 'Nothing is taken for "all clear": the same windows are tried again at the next run',
  broken: 'It goes on trying; you hear again when it works',
  stalled: 'The windows wait and are judged when it is possible again; you hear of that',
  healed: `The windows that were missed are judged now, the last ${MAX_CATCH_UP} of them at most`,
  'matches-nothing':
    'If its event is rare, this may be right: you are notified once. Otherwise correct the rule: deltawatch check --live says which names exist',
  stopped: 'Nothing of the app is judged until data come; you hear of that',
  resumed: `The windows that were missed are judged now, the last ${MAX_CATCH_UP} of them at most`,
};

/** What happens next; nothing does where what it is of is no longer watched. */
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
