import type { Alert } from './alert.ts';
import { unmatchedSince } from './matches-nothing.ts';

/**
 * Whether the alert needs no attention: it is normal, steady, has data, matches something and can be evaluated. Most
 * alerts are at rest most of the time.
 */
export function isAtRest(alert: Alert): boolean {
  const { state, flappingSinceAt, noData, unmatched, health, acknowledged, snoozed } = alert;
  const isSteady = state === 'normal' && flappingSinceAt === null;
  const isEvaluated = health.kind === 'ok' && !noData?.notified;
  const isMatched = unmatchedSince(unmatched, alert.evaluatedThroughAt) === undefined;
  return isSteady && isEvaluated && isMatched && acknowledged === null && snoozed === null;
}
