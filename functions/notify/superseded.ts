import type { Holds } from '../../shared/alerting/notifications/holds.ts';
import type { PendingNotification } from '../../shared/alerting/notifications/owed.ts';
import { queueEnd, redirect } from '../../shared/alerting/notifications/pending-notifications.ts';
import { routeFor } from '../../shared/alerting/notifications/routes.ts';
import { changeAll } from './delivery-results.ts';
import type { Sweep } from './sweep.ts';

/**
 * Word that an alert comes and goes is held while it is mute. Where the alert is over for now, whoever was told that it
 * fires is owed that end, which no mute holds: the next sweep tells it.
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

/** A reminder whose alert has come to another route or other channels goes by those, from the next sweep on. */
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
