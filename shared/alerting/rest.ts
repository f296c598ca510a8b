import type { Alert } from './alert.ts';

/**
 * Whether there is nothing about the alert that anybody has to know: it does not fire or begin to, is steady, has data
 * and can be judged. Most alerts are at rest most of the time, and people look at the others.
 */
export function isAtRest({ state, flappingSinceAt, noData, health, acknowledged, snoozed }: Alert): boolean {
  const isSteady = state === 'normal' && flappingSinceAt === null;
  const isJudged = health.kind === 'ok' && !noData?.told;
  return isSteady && isJudged && acknowledged === null && snoozed === null;
}
