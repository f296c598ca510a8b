import { Duration, type Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Counted, Measured } from '../shared/runtime/metrics.ts';
import { type Cadence, longestGapHours } from '../shared/time/cadence.ts';
import type { Operators } from './constructs/operators.ts';
import type { WatchedFunction } from './constructs/watched-function.ts';

/** An alarm on the first count of something that should never happen. */
interface FirstCount {
  name: Counted;
  /** The service that counts it. `table`: every function that reads the table. */
  service: string;
  /** By default, the sum of five minutes. */
  period?: Duration;
  meaning: string;
}

const FIRST_COUNTS: FirstCount[] = [
  {
    name: 'CallsMissing',
    service: 'plan-checks',
    // Each run of a cadence counts, so one mail covers all runs of a day.
    period: Duration.days(1),
    meaning:
      'The rules of an app need more calls of the data access service in an hour of the next day, or over the whole day, than the stage may use, so some rules will be evaluated late or not at all. The log of plan-checks names the app and the rules that need the most calls. Run some at another time or less often, use the same filters so that rules share calls, or raise calls.perHour in deltawatch.config.ts if the service allows more.',
  },
  {
    name: 'NotificationsStuck',
    service: 'notify',
    // A stuck message is retried at least once an hour, so an hour without a count means that none is stuck.
    period: Duration.hours(1),
    meaning:
      'A message could not be sent, and stays pending: a channel refuses it or fails repeatedly, or the table cannot be written. The log of notify names the channel and the reason. Fix the channel; the message is retried at least once an hour.',
  },
  {
    name: 'ItemsUnreadable',
    service: 'table',
    meaning:
      'This version cannot read an item of the table, and skips it. Search the logs of the functions for "an item of the table cannot be read": the entry names the item and its invalid fields. Deploy the version that wrote the item.',
  },
  {
    name: 'AlertsUnsaved',
    service: 'check-rules',
    meaning:
      'The table refuses to store an alert and the health of its rule. This rule is not evaluated; all others are. The log of check-rules names the rule and the reason, usually an item over 400 KB. Delete the item of the alert: the next run evaluates the rule again.',
  },
];

interface Watched {
  planChecks: WatchedFunction;
  notify: WatchedFunction;
  cadences: Cadence[];
  namespace: string;
}

/** Alarms on problems that no failing function shows. Batches that are not processed have an alarm on their queue. */
export function addAlarms(
  stack: Stack,
  operators: Operators,
  { planChecks, notify, cadences, namespace }: Watched,
): void {
  for (const { name, service, period = Duration.minutes(5), meaning } of FIRST_COUNTS) {
    const dimensionsMap = { service };
    operators.watch(stack, name, {
      metric: new Metric({ namespace, metricName: name, dimensionsMap, statistic: 'Sum', period }),
      meaning,
    });
  }
  const oldestPending: Measured = 'OldestPendingSeconds';
  operators.watch(stack, 'NotificationsWaiting', {
    metric: new Metric({
      ...{ namespace, metricName: oldestPending, dimensionsMap: { service: 'notify' } },
      // A minimum, because a notification counts from the run of its window, and that of a backlog is old at once.
      ...{ statistic: 'Minimum', period: Duration.hours(1) },
    }),
    threshold: 3600,
    periods: 2,
    meaning:
      'Notifications have been pending for more than an hour, for two hours in a row, and nothing mutes them. If NotificationsStuck has fired too, its problem is not solved yet. Otherwise a channel accepts only a part of each message, or notify cannot send a backlog fast enough. The log of notify has the failed attempts. The notifications are sent when the channel accepts them.',
  });
  operators.watch(stack, 'NotifyStopped', {
    metric: notify.metricInvocations({ period: Duration.minutes(5) }),
    when: 'silent',
    periods: 3,
    meaning:
      'The function notify has not run for 15 minutes. No messages are sent; they stay pending. Check that the schedule every-minute is enabled and that notify is not throttled.',
  });
  const periods = hoursWithoutTick(cadences);
  if (periods === undefined) return;
  operators.watch(stack, 'NothingPlanned', {
    metric: planChecks.metricInvocations({ period: Duration.hours(1) }),
    when: 'silent',
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
