import { oweEnd, redirect } from '../../shared/alerting/debts.ts';
import type { Holds } from '../../shared/alerting/holds.ts';
import type { Owed } from '../../shared/alerting/message.ts';
import { routeFor } from '../../shared/alerting/routes.ts';
import type { Sweep } from './announce.ts';
import { changeAll } from './settling.ts';

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
      ...{ transition: 'recovered', reason: 'it is over for now, and comes and goes' },
      ...{ windowEndAt, evaluation, firedWindowEndAt, tick: { id: tick, scheduledAt: since } },
    });
  });
}

/** A reminder on a channel that its route no longer has goes to those that it has now, from the next sweep on. */
export async function withoutRedirected(owed: Owed[], sweep: Sweep): Promise<Owed[]> {
  const { routes } = sweep.ruleSet;
  const channelsOf = ({ alert, rule }: Owed) =>
    rule && routeFor({ ...rule, segment: alert.segment }, routes).channels;
  const isElsewhere = (each: Owed) =>
    each.debt.transition === 'reminded' && channelsOf(each)?.includes(each.debt.channel) === false;
  await changeAll(owed.filter(isElsewhere), sweep, (alert, each) =>
    redirect(alert, each.key, channelsOf(each) ?? []),
  );
  return owed.filter((each) => !isElsewhere(each));
}
