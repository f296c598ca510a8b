import type { Alert } from './alert.ts';
import { unmatchedSince } from './matches-nothing.ts';

/**
 * Whether there is nothing about the alert that anybody has to know: it does not fire or begin to, is steady, has data,
 * matches something and can be judged. Most alerts are at rest most of the time, and people look at the others.
 */
export function isAtRest(alert: Alert): boolean {
  const { state, flappingSinceAt, noData, unmatched, health, acknowledged, snoozed } = alert;
  const isSteady = state === 'normal' && flappingSinceAt === null;
  const isJudged = health.kind === 'ok' && !noData?.told;
  const isMatched = unmatchedSince(unmatched, alert.judgedThroughAt) === undefined;
  return isSteady && isJudged && isMatched && acknowledged === null && snoozed === null;
}
