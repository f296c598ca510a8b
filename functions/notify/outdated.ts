import type { Alert } from '../../shared/alerts/alert.ts';
import { appAddressee, appOf } from '../../shared/alerts/app-alert.ts';
import { endRemovedRule, watchedBy } from '../../shared/deployments/removed-rules.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { escalationsOf, isUnsentEscalation } from '../../shared/notifications/escalations.ts';
import type { Holds } from '../../shared/notifications/holds.ts';
import { dueNotifications } from '../../shared/notifications/notification-order.ts';
import type { PendingNotification } from '../../shared/notifications/pending.ts';
import { queueEnd, redirect } from '../../shared/notifications/pending-notifications.ts';
import { removePending } from '../../shared/notifications/pending-set.ts';
import { asksForSomebody } from '../../shared/notifications/reminders.ts';
import { isReplaced, withReplacedChannels } from '../../shared/notifications/replaced-channels.ts';
import { type Receiver, receiversOf, routesFor } from '../../shared/notifications/routes.ts';
import { errorText } from '../../shared/runtime/errors.ts';
import { changeAll } from './delivery-results.ts';
import { eachOf } from './loaded-alerts.ts';
import type { Ready, Sweep } from './sweep.ts';

/** Ends the alerts of removed rules: only their end is sent. An alert of a rule that cannot be read waits until it can. */
export async function withoutRemovedRules(ready: Ready[], sweep: Sweep): Promise<Ready[]> {
  const { now, ruleSet } = sweep;
  const isWatched = watchedBy(ruleSet);
  return changed(
    ready.filter(({ alert }) => !ruleSet.unreadable?.includes(alert.ruleId)),
    sweep,
    {
      isConcerned: (alert) => !isWatched(alert),
      change: (alert) => endRemovedRule(alert, ruleSet.routes, now),
      failure: 'the alert of a removed rule could not be ended',
    },
  );
}

/** Moves notifications of renamed and removed channels to their replacements. */
export async function moveToReplacements(ready: Ready[], sweep: Sweep): Promise<Ready[]> {
  const { routes } = sweep.ruleSet;
  return changed(ready, sweep, {
    isConcerned: ({ pending }) => Object.values(pending).some((each) => isReplaced(each, routes)),
    change: (alert) => withReplacedChannels(alert, routes),
    failure: 'notifications of a removed channel could not be moved',
  });
}

/** All of `ready`, after the change of those that it concerns. An alert that cannot be saved waits for the next sweep. */
async function changed(
  ready: Ready[],
  { loadedAlerts, now, logger }: Sweep,
  to: { isConcerned: (alert: Alert) => boolean; change: (alert: Alert) => Alert; failure: string },
): Promise<Ready[]> {
  const kept = await eachOf(ready, async (each) => {
    if (!to.isConcerned(each.alert)) return [each];
    try {
      const alert = await loadedAlerts.change(each.alert, to.change);
      return alert ? [{ alert, due: dueNotifications(alert, now) }] : [];
    } catch (error) {
      logger.error(to.failure, { rule: each.alert.ruleId, reason: errorText(error) });
      return [];
    }
  });
  return kept.flat();
}

/** Removes reminders and escalations of alerts that ended or were answered meanwhile. */
export async function dropObsolete(
  pending: PendingNotification[],
  sweep: Sweep,
): Promise<PendingNotification[]> {
  const isObsolete = ({ alert, notification, rule }: PendingNotification) => {
    const isUnsent = notification.transition === 'reminded' || isUnsentEscalation(notification);
    if (isUnsent && (!asksForSomebody(alert) || rule?.quiet === true)) return true;
    // A channel has refused it, and somebody has answered since.
    const isEscalation = notification.escalatedAfterMinutes !== undefined;
    return isEscalation && (alert.acknowledged !== null || alert.flappingSinceAt !== null);
  };
  await changeAll(pending.filter(isObsolete), sweep, (alert, { key }) => removePending(alert, [key]));
  return pending.filter((each) => !isObsolete(each));
}

/**
 * A `flapping` notification is held while the alert is muted. If the alert is resolved at the moment, channels that
 * were notified that it fired still get its end: muting does not hold an end. The next sweep sends it.
 */
export async function queueHeldEnds(
  pending: PendingNotification[],
  holds: Holds,
  sweep: Sweep,
): Promise<void> {
  const isOverForNow = ({ alert, notification }: PendingNotification) =>
    notification.transition === 'flapping' && alert.fired === null && alert.flappingSinceAt !== null;
  const held = pending.filter((each) => isOverForNow(each) && holds.isHeld(each));
  await changeAll(held, sweep, (alert, { notification }) => {
    const { windowEndAt, evaluation, firedWindowEndAt, tick, since } = notification;
    return queueEnd(alert, notification, {
      ...{ transition: 'recovered', reason: { code: 'over-while-flapping' } },
      ...{ windowEndAt, evaluation, firedWindowEndAt, tick: { id: tick, scheduledAt: since } },
    });
  });
}

/** Redirects reminders whose route no longer applies, or to other channels. The next sweep sends them. */
export async function withoutRedirected(
  pending: PendingNotification[],
  sweep: Sweep,
): Promise<PendingNotification[]> {
  const redirected = new Map(
    pending.flatMap((each) => {
      const receivers = newReceiversOf(each, sweep.ruleSet);
      return receivers ? [[each, receivers] as const] : [];
    }),
  );
  await changeAll([...redirected.keys()], sweep, (alert, each) =>
    redirect(alert, each.key, redirected.get(each) ?? []),
  );
  return pending.filter((each) => !redirected.has(each));
}

/** Who is reminded instead, by the routes of the time at which the reminder is due; `undefined` if nothing changed. */
function newReceiversOf(
  { alert, notification, rule }: PendingNotification,
  { rules, routes }: RuleSet,
): Receiver[] | undefined {
  const app = appOf(alert);
  const about =
    app === undefined
      ? rule
      : appAddressee(
          app,
          rules.filter((each) => each.app === app),
        );
  if (notification.transition !== 'reminded' || !about) return undefined;
  const applying = routesFor({ ...about, segment: alert.segment }, routes, notification.dueAt);
  const receivers = receiversOf(applying);
  const isSame = [...receivers, ...escalationsOf(applying)].some(
    ({ channel, route }) => channel === notification.channel && route === notification.route,
  );
  return isSame ? undefined : receivers;
}
