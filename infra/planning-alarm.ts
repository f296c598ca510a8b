import { Duration, type Stack } from 'aws-cdk-lib';
import { type Cadence, longestGapHours } from '../shared/alerting/time/cadence.ts';
import type { Operators } from './constructs/operators.ts';
import type { WatchedFunction } from './constructs/watched-function.ts';

/** Alarms if no schedule calls plan-checks. Batches that are planned but not processed have an alarm on their queue. */
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
    meaning: `No schedule has called plan-checks for ${periods} hours. No rule is evaluated, so no new alert fires. Check that the schedules are enabled, that their role may call plan-checks, and that it is not throttled.`,
  });
}

/** The longest time that a CloudWatch alarm can evaluate. */
const WEEK_HOURS = 7 * 24;

/**
 * The hours without a run after which the alarm fires: the longest gap of the busiest cadence, one hour for a clock
 * change and one for delays. `undefined` if that is longer than an alarm can evaluate, as with only weekly rules.
 */
function hoursWithoutTick(cadences: Cadence[]): number | undefined {
  const gaps = cadences.map((cadence) => longestGapHours(cadence) ?? Number.POSITIVE_INFINITY);
  const hours = Math.ceil(Math.min(...gaps)) + 2;
  return hours <= WEEK_HOURS ? hours : undefined;
}
