import type { Holds } from '../../shared/alerting/notifications/holds.ts';
import type { Owed } from '../../shared/alerting/notifications/owed.ts';
import { oweEnd, redirect } from '../../shared/alerting/notifications/pending-notifications.ts';
import { routeFor } from '../../shared/alerting/notifications/routes.ts';
import { changeAll } from './delivery-results.ts';
import type { Sweep } from './sweep.ts';

/**
 * Word that an alert comes and goes is held while it is mute. Where the alert is over for now, whoever was told that it
 * fires is owed that end, which no mute holds: the next sweep tells it.
 */
export async function oweHeldEnds(owed: Owed[], holds: Holds, sweep: Sweep): Promise<void> {
  const isOverForNow = ({ alert, debt }: Owed) =>
    debt.transition === 'flapping' && alert.fired === null && alert.flappingSinceAt !== null;
  const held = owed.filter((each) => isOverForNow(each) && holds.isHeld(each));
  await changeAll(held, sweep, (alert, { debt }) => {
    const { windowEndAt, evaluation, firedWindowEndAt, tick, since } = debt;
    return oweEnd(alert, debt, {
      ...{ transition: 'recovered', reason: { code: 'over-while-flapping' } },
      ...{ windowEndAt, evaluation, firedWindowEndAt, tick: { id: tick, scheduledAt: since } },
    });
  });
}

/** A reminder whose alert has come to another route or other channels goes by those, from the next sweep on. */
export async function withoutRedirected(owed: Owed[], sweep: Sweep): Promise<Owed[]> {
  const { routes } = sweep.ruleSet;
  const wayOf = ({ alert, rule }: Owed) => rule && routeFor({ ...rule, segment: alert.segment }, routes);
  const isElsewhere = (each: Owed) => {
    const way = each.debt.transition === 'reminded' && wayOf(each);
    return way && (way.route !== each.debt.route || !way.channels.includes(each.debt.channel));
  };
  await changeAll(owed.filter(isElsewhere), sweep, (alert, each) => {
    const way = wayOf(each);
    return way ? redirect(alert, each.key, way) : alert;
  });
  return owed.filter((each) => !isElsewhere(each));
}
