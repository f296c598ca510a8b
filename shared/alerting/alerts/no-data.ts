import type { Evaluation } from '../evaluation/evaluation.ts';
import type { Rule } from '../rules/rule.ts';
import type { Alert, Step } from './alert.ts';

/** By the hour a segment is not gone before a day has gone by without it: nights are quiet. */
const HOURS_OF_A_DAY = 24;

/** Whether a segment is gone with one more window without a value (`before`: those in a row until then). */
export function hasVanished(before: Alert['noData'], { no_data_after, window }: Rule): boolean {
  const asked = window === 'hour' ? Math.max(no_data_after, HOURS_OF_A_DAY) : no_data_after;
  return (before?.windows ?? 0) + 1 >= asked;
}

/**
 * Counts the windows in a row that had no value, and tells of them once they are as many as the rule says, and when there
 * is a value again. Of a segment nothing is told: one that stays without data has vanished.
 */
export function countNoData(step: Step, { verdict, window }: Evaluation, rule: Rule): Step {
  const { alert, news } = step;
  const before = alert.noData;
  if (verdict !== 'no-data') {
    if (!before) return step;
    const back = { transition: 'data-back' as const, reason: { code: 'data-back' as const } };
    return { ...step, alert: { ...alert, noData: null }, news: before.notified ? [...news, back] : news };
  }
  const windows = (before?.windows ?? 0) + 1;
  const sinceAt = before?.sinceAt ?? window.startAt;
  // What was never seen has no data to lose: the rule may match nothing.
  const hadData = alert.segment === null && alert.seenSinceAt !== undefined;
  const notified = (before?.notified ?? false) || (hadData && windows >= rule.no_data_after);
  const next = { ...step, alert: { ...alert, noData: { sinceAt, windows, notified } } };
  if (!notified || before?.notified) return next;
  const reason = { code: 'no-data' as const, windows, sinceAt };
  return { ...next, news: [...news, { transition: 'no-data', reason }] };
}
