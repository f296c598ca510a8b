import { appAddressee, appOf } from '../../shared/alerts/app-alert.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { escalationsOf } from '../../shared/notifications/escalations.ts';
import type { Holds } from '../../shared/notifications/holds.ts';
import type { PendingNotification } from '../../shared/notifications/pending.ts';
import { queueEnd, redirect } from '../../shared/notifications/pending-notifications.ts';
import { type Receiver, receiversOf, routesFor } from '../../shared/notifications/routes.ts';
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
