import type { Alert } from './alert.ts';
import { appOf } from './app-alert.ts';

/** An alert that is not at rest, as far as lists of many need it: the rest is loaded of those that are shown. */
export interface OpenAlert
  extends Pick<
    Alert,
    | ('ruleId' | 'segment' | 'state' | 'stateSinceAt' | 'flappingSinceAt' | 'noData')
    | ('unmatched' | 'health' | 'acknowledged')
  > {
  /** `sizeOf` of the alert. */
  size: number;
}

/** Larger than any change that is told from another; a store may refuse numbers of many digits. */
const LARGEST = 1_000_000;

/**
 * How far its last window was from what was expected, as a part of that; -1 where it is not known. A rise from zero is
 * as large as any, and an app that sends nothing is more than that.
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
  return { ...shown, unmatched, health, acknowledged, size: sizeOf(alert) };
}
