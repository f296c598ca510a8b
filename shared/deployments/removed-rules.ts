import type { Alert, Notification } from '../alerts/alert.ts';
import { unacknowledged } from '../alerts/alert-states.ts';
import { tickByHand } from '../alerts/answers.ts';
import { appOf } from '../alerts/app-alert.ts';
import { isAtRest } from '../alerts/open-alert.ts';
import { type Condition, type End, isEnd } from '../alerts/transitions.ts';
import type { Reason } from '../evaluation/reason.ts';
import { queueEnd } from '../notifications/pending-notifications.ts';
import { removePending } from '../notifications/pending-set.ts';
import type { Routes } from '../notifications/routes.ts';
import type { RuleSet } from './rule-store.ts';

/** The transition that ends each condition of an alert without a rule. */
const ENDS: Record<Condition, End | null> = {
  firing: 'restarted',
  'app-stopped': 'restarted',
  'no-data': 'data-back',
  health: 'healed',
};

/** Whether an alert still has its rule or, for the alert of an app, any rule of that app. */
export function watchedBy({
  rules,
  unreadable = [],
  apps: watched,
}: Pick<RuleSet, 'rules' | 'unreadable' | 'apps'>): (alert: Pick<Alert, 'ruleId'>) => boolean {
  const ids = new Set([...rules.map(({ id }) => id), ...unreadable]);
  const apps = new Set((watched ?? rules).map(({ app }) => app));
  return (alert) => {
    const app = appOf(alert);
    // The app of an unreadable rule is unknown.
    return app === undefined ? ids.has(alert.ruleId) : unreadable.length > 0 || apps.has(app);
  };
}

/**
 * Ends the alert of a removed rule. Its pending notifications are replaced by one for its end, to every channel that may
 * have got its start. Those that are being sent are kept. `at`: when the removal was found. Returns the same object if
 * there is nothing to do.
 */
export function endRemovedRule(alert: Alert, routes: Routes, at: number): Alert {
  const isVoid = ({ transition, attempts, dueAt }: Notification) =>
    !isEnd(transition) && (attempts === 0 || dueAt <= at);
  const voided = Object.entries(alert.pending).flatMap(([key, notification]) =>
    isVoid(notification) ? [key] : [],
  );
  if (voided.length === 0 && isAtRest(alert)) return alert;
  const reason = reasonFor(alert);
  const about = { windowEndAt: at, evaluation: null, tick: tickByHand(at), reason };
  const firedWindowEndAt = alert.fired?.windowEndAt ?? null;
  const ends = [...new Set(Object.values(ENDS))].flatMap((transition) =>
    transition === null ? [] : Object.keys(routes.channels).map((channel) => ({ transition, channel })),
  );
  const ending = ends.reduce(
    (each, { transition, channel }) =>
      queueEnd(each, { channel, route: 'default' }, { ...about, transition, firedWindowEndAt }),
    alert,
  );
  return atRest(removePending(ending, voided), at);
}

function atRest(alert: Alert, at: number): Alert {
  if (isAtRest(alert)) return alert;
  const stateSinceAt = alert.state === 'normal' ? alert.stateSinceAt : at;
  return {
    ...unacknowledged(alert),
    ...{ state: 'normal', stateSinceAt, fired: null, suspected: null, recent: [] },
    ...{ changes: [], flappingSinceAt: null, noData: null, unmatched: null, health: { kind: 'ok' } },
  };
}

function reasonFor(alert: Alert): Reason {
  const app = appOf(alert);
  return app === undefined ? { code: 'rule-removed' } : { code: 'app-without-rules', app };
}
