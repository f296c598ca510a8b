import type { Alert } from './alert.ts';
import { appOf } from './app-alert.ts';
import { sinceOf } from './open-since.ts';

/** An alert that is not at rest, reduced to what lists need. */
export interface OpenAlert
  extends Pick<
    Alert,
    | ('ruleId' | 'segment' | 'state' | 'stateSinceAt' | 'flappingSinceAt' | 'noData')
    | ('unmatched' | 'health' | 'acknowledged')
  > {
  size: number;
  /** `sinceOf` the alert. Absent from alerts that older versions stored. */
  sinceAt?: number | undefined;
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

export function openAlert(alert: Alert): OpenAlert {
  const { ruleId, segment, state, stateSinceAt, flappingSinceAt, noData } = alert;
  const { unmatched, health, acknowledged } = alert;
  const shown = { ruleId, segment, state, stateSinceAt, flappingSinceAt, noData };
  return { ...shown, unmatched, health, acknowledged, size: sizeOf(alert), sinceAt: sinceOf(alert) };
}
