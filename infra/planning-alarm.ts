import { Duration, type Stack } from 'aws-cdk-lib';
import { type Cadence, longestGapHours } from '../shared/alerting/time/cadence.ts';
import type { Operators } from './constructs/operators.ts';
import type { WatchedFunction } from './constructs/watched-function.ts';

/** Alarms when no schedule calls plan-checks. Work that is planned and not done waits in its queue, which has an alarm. */
export function watchPlanning(
  stack: Stack,
  operators: Operators,
  planChecks: WatchedFunction,
  cadences: Cadence[],
): void {
  const periods = hoursWithoutTick(cadences);
  if (periods === undefined) return;
  operators.watch(stack, 'NothingPlanned', {
    metric: planChecks.metricInvocations({ period: Duration.hours(1) }),
    when: 'silent',
    threshold: 1,
    periods,
    meaning: `No schedule has called plan-checks for ${periods} hours: no rule is evaluated, and nobody is notified. Check that the schedules are enabled and may call it.`,
  });
}

/** An alarm looks back no further. */
const WEEK_HOURS = 7 * 24;

/**
 * After how many hours without a tick something is wrong: the longest gap of the busiest cadence, one hour for a change of
 * the clocks and one for delays. `undefined` where an alarm does not look back that far, as with weekly rules alone.
 */
function hoursWithoutTick(cadences: Cadence[]): number | undefined {
  const gaps = cadences.map((cadence) => longestGapHours(cadence) ?? Number.POSITIVE_INFINITY);
  const hours = Math.ceil(Math.min(...gaps)) + 2;
  return hours <= WEEK_HOURS ? hours : undefined;
}
