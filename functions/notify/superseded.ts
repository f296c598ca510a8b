import type { Holds } from '../../shared/alerting/notifications/holds.ts';
import type { PendingNotification } from '../../shared/alerting/notifications/pending.ts';
import { queueEnd, redirect } from '../../shared/alerting/notifications/pending-notifications.ts';
import { routeFor } from '../../shared/alerting/notifications/routes.ts';
import { changeAll } from './delivery-results.ts';
import type { Sweep } from './sweep.ts';

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

/** Redirects reminders of alerts whose route or channels changed. The next sweep sends them. */
export async function withoutRedirected(
  pending: PendingNotification[],
  sweep: Sweep,
): Promise<PendingNotification[]> {
  const { routes } = sweep.ruleSet;
  const wayOf = ({ alert, rule }: PendingNotification) =>
    rule && routeFor({ ...rule, segment: alert.segment }, routes);
  const isElsewhere = (each: PendingNotification) => {
    const way = each.notification.transition === 'reminded' && wayOf(each);
    return (
      way && (way.route !== each.notification.route || !way.channels.includes(each.notification.channel))
    );
  };
  await changeAll(pending.filter(isElsewhere), sweep, (alert, each) => {
    const way = wayOf(each);
    return way ? redirect(alert, each.key, way) : alert;
  });
  return pending.filter((each) => !isElsewhere(each));
}
