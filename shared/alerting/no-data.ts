import type { Step } from './alert.ts';
import type { Evaluation } from './evaluation.ts';
import type { Rule } from './rule.ts';

/**
 * Counts the windows in a row that had no value, and tells of them once they are as many as the rule says, and when there
 * is a value again. Of a segment nothing is told: one without data has vanished.
 */
export function countNoData(step: Step, { verdict, window }: Evaluation, rule: Rule): Step {
  const { alert, news } = step;
  const before = alert.noData;
  if (alert.segment !== null) return step;
  if (verdict !== 'no-data') {
    if (!before) return step;
    const back = { transition: 'data-back' as const, reason: 'it has a value again and is judged' };
    return { ...step, alert: { ...alert, noData: null }, news: before.told ? [...news, back] : news };
  }
  const windows = (before?.windows ?? 0) + 1;
  const sinceAt = before?.sinceAt ?? window.startAt;
  const told = windows >= rule.no_data_after || (before?.told ?? false);
  const next = { ...step, alert: { ...alert, noData: { sinceAt, windows, told } } };
  if (!told || before?.told) return next;
  const reason = `no data in ${windows} ${windows === 1 ? 'window' : 'windows'} in a row, since ${new Date(sinceAt).toISOString()}`;
  return { ...next, news: [...news, { transition: 'no-data', reason }] };
}
