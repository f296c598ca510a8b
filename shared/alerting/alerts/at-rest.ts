import type { Alert } from './alert.ts';
import { unmatchedSince } from './matches-nothing.ts';

/**
 * Whether there is nothing about the alert that anybody has to know: it does not fire or begin to, is steady, has data,
 * matches something and can be judged. Most alerts are at rest most of the time, and people look at the others.
 */
export function isAtRest(alert: Alert): boolean {
  const { state, flappingSinceAt, noData, unmatched, health, acknowledged, snoozed } = alert;
  const isSteady = state === 'normal' && flappingSinceAt === null;
  const isEvaluated = health.kind === 'ok' && !noData?.notified;
  const isMatched = unmatchedSince(unmatched, alert.evaluatedThroughAt) === undefined;
  return isSteady && isEvaluated && isMatched && acknowledged === null && snoozed === null;
}
