import type { Alert } from '../../shared/alerts/alert.ts';
import { endRemovedRule, watchedBy } from '../../shared/deployments/removed-rules.ts';
import { isUnsentEscalation } from '../../shared/notifications/escalations.ts';
import { dueNotifications } from '../../shared/notifications/notification-order.ts';
import type { PendingNotification } from '../../shared/notifications/pending.ts';
import { removePending } from '../../shared/notifications/pending-set.ts';
import { asksForSomebody } from '../../shared/notifications/reminders.ts';
import { isReplaced, withReplacedChannels } from '../../shared/notifications/replaced-channels.ts';
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
