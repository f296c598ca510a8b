import * as z from 'zod';
import { type Alert, alertSchema } from './alert.ts';
import { appOf } from './app-alert.ts';
import { unmatchedSince } from './matches-nothing.ts';

const shown = {
  ruleId: true,
  segment: true,
  state: true,
  stateSinceAt: true,
  flappingSinceAt: true,
} as const;

export const openAlertSchema = alertSchema
  .pick({ ...shown, noData: true, unmatched: true, health: true, acknowledged: true })
  .extend({ size: z.number(), sinceAt: z.number() });
/** An alert that is not at rest, reduced to what lists need. */
export type OpenAlert = z.infer<typeof openAlertSchema>;

export function openAlert(alert: Alert): OpenAlert {
  return openAlertSchema.parse({ ...alert, size: sizeOf(alert), sinceAt: sinceOf(alert) });
}

/** Start of the current state. A firing alert starts at the beginning of its first breaching window. */
export function sinceOf({ fired, incidents, stateSinceAt }: Alert): number {
  return fired ? (incidents.at(-1)?.startAt ?? fired.windowEndAt) : stateSinceAt;
}

/** Larger than any change that is distinguished; stores may reject numbers with many digits. */
const LARGEST = 1_000_000;

/**
 * The relative deviation of the last window from the expected value; -1 if unknown. A rise from 0 counts as the
 * largest change, and an app without data as larger still.
 */
export function sizeOf(alert: Pick<Alert, 'ruleId' | 'last'>): number {
  const { last } = alert;
  if (appOf(alert) !== undefined) return LARGEST + 1;
  if (!last || last.difference === null) return -1;
  const size = last.change === null ? LARGEST : Math.min(Math.abs(last.change), LARGEST);
  return Math.round(size * 1_000_000) / 1_000_000;
}

/** Whether the alert is normal, steady, has data, matches something and can be evaluated. Most are, most of the time. */
export function isAtRest(alert: Alert): boolean {
  const { state, flappingSinceAt, noData, unmatched, health, acknowledged, snoozed } = alert;
  const isSteady = state === 'normal' && flappingSinceAt === null;
  const isEvaluated = health.kind === 'ok' && !noData?.notified;
  const isMatched = unmatchedSince(unmatched, alert.evaluatedThroughAt) === undefined;
  return isSteady && isEvaluated && isMatched && acknowledged === null && snoozed === null;
}
