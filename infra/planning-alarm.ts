import { Duration, type Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Counted } from '../shared/runtime/metrics.ts';
import { type Cadence, longestGapHours } from '../shared/time/cadence.ts';
import type { Operators } from './constructs/operators.ts';
import type { WatchedFunction } from './constructs/watched-function.ts';

interface Planning {
  planChecks: WatchedFunction;
  cadences: Cadence[];
  namespace: string;
}

/**
 * Alarms if no schedule calls plan-checks, and if the rules need more calls than are allowed. Batches that are planned
 * but not processed have an alarm on their queue.
 */
export function watchPlanning(
  stack: Stack,
  operators: Operators,
  { planChecks, cadences, namespace }: Planning,
): void {
  const missing: Counted = 'CallsMissing';
  operators.watch(stack, missing, {
    metric: new Metric({
      ...{ namespace, metricName: missing, dimensionsMap: { service: 'plan-checks' } },
      // Each run of a cadence counts, so one mail covers all runs of a day.
      ...{ statistic: 'Maximum', period: Duration.days(1) },
    }),
    when: 'reaches',
    threshold: 1,
    periods: 1,
    meaning:
      'The rules of an app need more calls of the data access service in an hour of the next day, or over the whole day, than the stage may use, so some rules will be evaluated late or not at all. The log of plan-checks names the app and the rules that need the most calls. Run some at another time or less often, use the same filters so that rules share calls, or raise calls.perHour in deltawatch.config.ts if the service allows more.',
  });
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
