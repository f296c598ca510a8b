import type { Alert, Debt } from '../alerts/alert.ts';
import { standingAnswers } from '../alerts/answer-news.ts';
import { tickByHand } from '../alerts/answers.ts';
import { opens, shareCondition, type Transition } from '../alerts/transitions.ts';
import { debtKey } from './notification-key.ts';
import { asksForSomebody } from './reminders.ts';

/**
 * `owed` with what somebody said of the fire before `sent` told of it: who is told late, or while it was said, would
 * never hear of that else.
 */
export function withMissedAnswers(
  alert: Alert,
  owed: Alert['owed'],
  sent: Debt,
  sentAt: number,
): Alert['owed'] {
  const isStanding = sent.firedWindowEndAt === null || sent.firedWindowEndAt === alert.fired?.windowEndAt;
  if (!opens(sent.transition) || !isStanding) return owed;
  const { channel } = sent;
  const isKnown = (transition: Transition, at: number) =>
    Object.values(owed).some((debt) => debt.transition === transition && debt.channel === channel) ||
    alert.announced.some(
      (told) => told.transition === transition && told.channel === channel && told.sentAt >= at,
    );
  let all = owed;
  for (const { transition, reason, at } of standingAnswers(alert, sentAt)) {
    if (isKnown(transition, at) || !shareCondition(transition, sent.transition)) continue;
    const debt: Debt = {
      ...{ transition, reason, channel, route: sent.route, windowEndAt: at, since: at },
      ...{ tick: tickByHand(at).id, evaluation: alert.last, firedWindowEndAt: sent.firedWindowEndAt },
      ...{ firstRead: null, drivers: null, dueAt: sentAt, attempts: 0 },
    };
    all = withReturn(alert, { ...all, [debtKey(alert, debt)]: debt }, debt);
  }
  return all;
}

/**
 * `owed` with what a channel is told when a snooze that it is told of is over: the reminder that it was to have, or one
 * of its own. It is void where the alert has ended by then, or somebody has taken it.
 */
export function withReturn(alert: Alert, owed: Alert['owed'], told: Debt): Alert['owed'] {
  const untilAt = alert.snoozed?.untilAt ?? null;
  if (told.transition !== 'snoozed' || untilAt === null || !asksForSomebody(alert)) return owed;
  const isReminder = ({ transition, channel, attempts }: Debt) =>
    transition === 'reminded' && channel === told.channel && attempts === 0;
  const reminders = Object.entries(owed).filter(([, debt]) => isReminder(debt));
  const moved = reminders.map(([key, debt]) => [key, { ...debt, dueAt: untilAt }] as const);
  if (moved.length > 0) return { ...owed, ...Object.fromEntries(moved) };
  const debt: Debt = { ...told, transition: 'reminded', evaluation: null, dueAt: untilAt };
  return { ...owed, [debtKey(alert, debt)]: debt };
}
