import type { Evaluation } from '../evaluation/evaluation.ts';
import type { Rule } from '../rules/rule.ts';
import type { Alert, Step } from './alert.ts';

/** For hourly windows a segment is gone only after a whole day: nights are quiet. */
const HOURS_OF_A_DAY = 24;

/** Whether a segment is gone after one more window without a value (`before`: consecutive ones until then). */
export function hasVanished(before: Alert['noData'], { no_data_after, window }: Rule): boolean {
  const asked = window === 'hour' ? Math.max(no_data_after, HOURS_OF_A_DAY) : no_data_after;
  return (before?.windows ?? 0) + 1 >= asked;
}

/**
 * Counts consecutive windows without a value. Sends a notification when they reach the rule's limit, and when a value
 * is back. Segments send nothing: one that stays without data is gone.
 */
export function countNoData(step: Step, { verdict, current: { window } }: Evaluation, rule: Rule): Step {
  const { alert, news } = step;
  const before = alert.noData;
  if (verdict !== 'no-data') {
    if (!before) return step;
    const back = { transition: 'data-back' as const, reason: { code: 'data-back' as const } };
    return { ...step, alert: { ...alert, noData: null }, news: before.notified ? [...news, back] : news };
  }
  const windows = (before?.windows ?? 0) + 1;
  const sinceAt = before?.sinceAt ?? window.startAt;
  // A series that never had data cannot lose it: the rule may match nothing.
  const hadData = alert.segment === null && alert.seenSinceAt !== undefined;
  const notified = (before?.notified ?? false) || (hadData && windows >= rule.no_data_after);
  const next = { ...step, alert: { ...alert, noData: { sinceAt, windows, notified } } };
  if (!notified || before?.notified) return next;
  const reason = { code: 'no-data' as const, windows, sinceAt };
  return { ...next, news: [...news, { transition: 'no-data', reason }] };
}
