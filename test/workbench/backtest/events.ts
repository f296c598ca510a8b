import type { ReplayEvent, ReplayedMessage, ReplayedWindow } from '../../../local/replay/replayed.ts';
import type { AlertState } from '../../../shared/alerts/alert.ts';
import type { Transition } from '../../../shared/alerts/transitions.ts';
import { messageFor } from '../../../shared/messages/message.ts';
import { notificationKey } from '../../../shared/notifications/notification-key.ts';
import type { PendingNotification } from '../../../shared/notifications/pending.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { ReplayLog } from '../../../workbench/backtest/replay-log.ts';
import { replayReport } from '../../../workbench/backtest/report.ts';
import { alertOf, breached, dayAt, evaluationOf, MONDAY } from '../../fixtures/builders.ts';

/** The run that evaluates the day after `days` days: an hour after its end. */
export const tickOf = (days: number) => dayAt(days).endAt + HOUR_MS;

/**
 * Evaluations of consecutive days. `days` has their verdicts: `.` clear, `!` breached, `?` inconclusive, `_` no data.
 * `states` has the state after each: the first letter of its name.
 */
export function evaluatedDays(rule: Rule, days: string, states: string, segment: string | null = null) {
  return [...days].map((sign, day): ReplayedWindow => {
    const evaluation = sign === '!' ? breached(day) : evaluationOf(day, verdictOf(sign));
    return {
      kind: 'evaluated',
      at: tickOf(day),
      ruleId: rule.id,
      segment,
      evaluation,
      state: STATES[states[day] ?? 'n'] ?? 'normal',
    };
  });
}

const STATES: Record<string, AlertState> = { n: 'normal', p: 'pending', f: 'firing', r: 'recovering' };

function verdictOf(sign: string) {
  if (sign === '?') return { verdict: 'inconclusive' } as const;
  return sign === '_' ? ({ verdict: 'no-data' } as const) : {};
}

/** The report on 30 days of these events. */
export function reportOn(events: ReplayEvent[], rules: Rule[]) {
  const log = new ReplayLog(rules);
  for (const event of events) log.add(event);
  return replayReport(log, { rules, span: MONTH });
}

const MONTH = { startAt: MONDAY, endAt: MONDAY + 30 * DAY_MS };

/** One message about these rules, each with a notification for the day after `days` days. */
export function sent(days: number, rules: Rule[], transition: Transition = 'fired'): ReplayedMessage {
  const pending = rules.map((rule): PendingNotification => {
    const alert = alertOf(rule);
    const notification: PendingNotification['notification'] = {
      ...{ transition, channel: 'team', route: 'default', tick: 'day@1', windowEndAt: dayAt(days).endAt },
      ...{ since: tickOf(days), reason: { code: 'evaluation' }, evaluation: breached(days), drivers: null },
      ...{ firedWindowEndAt: null, firstRead: null, dueAt: tickOf(days), attempts: 0 },
    };
    return { key: notificationKey(alert, notification), alert, notification, rule };
  });
  return {
    kind: 'sent',
    at: tickOf(days),
    channel: 'team',
    route: 'default',
    message: messageFor(pending),
    pending,
  };
}
