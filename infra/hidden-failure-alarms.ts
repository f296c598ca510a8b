import { Duration, type Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Counted, Measured } from '../shared/runtime/metrics.ts';
import type { Operators } from './constructs/operators.ts';
import type { WatchedFunction } from './constructs/watched-function.ts';

/** The alarm on the first count of something that should never happen. */
interface Count {
  period?: Duration;
  meaning: string;
}

/** Alarms on problems that no failing function shows. */
export function watchHiddenFailures(
  stack: Stack,
  operators: Operators,
  { notify, namespace }: { notify: WatchedFunction; namespace: string },
): void {
  const metricOf = (metricName: Counted | Measured, service: string, statistic: string, period: Duration) =>
    new Metric({ namespace, metricName, dimensionsMap: { service }, statistic, period });
  const watchCount = (metricName: Counted, service: string, count: Count) =>
    operators.watch(stack, metricName, {
      metric: metricOf(metricName, service, 'Sum', count.period ?? Duration.minutes(5)),
      when: 'reaches',
      threshold: 1,
      periods: 1,
      meaning: count.meaning,
    });
  // A stuck message is retried at least once an hour, so an hour without a count means that none is stuck.
  watchCount('NotificationsStuck', 'notify', {
    period: Duration.hours(1),
    meaning:
      'A message could not be sent, and stays pending: a channel refuses it or fails repeatedly, or the table cannot be written. The log of notify names the channel and the reason. Fix the channel; the message is retried at least once an hour.',
  });
  operators.watch(stack, 'NotificationsWaiting', {
    // A minimum, because a notification counts from the run of its window, and that of a backlog is old at once.
    metric: metricOf('OldestPendingSeconds', 'notify', 'Minimum', Duration.hours(1)),
    when: 'reaches',
    threshold: 3600,
    periods: 2,
    meaning:
      'Notifications have been pending for more than an hour, for two hours in a row, and nothing mutes them. If NotificationsStuck has fired too, its problem is not solved yet. Otherwise a channel accepts only a part of each message, or notify cannot send a backlog fast enough. The log of notify has the failed attempts. The notifications are sent when the channel accepts them.',
  });
  // Every function that reads the table counts it.
  watchCount('ItemsUnreadable', 'table', {
    meaning:
      'This version cannot read an item of the table, and skips it. Search the logs of the functions for "an item of the table cannot be read": the entry names the item and its invalid fields. Deploy the version that wrote the item.',
  });
  watchCount('AlertsUnsaved', 'check-rules', {
    meaning:
      'The table refuses to store an alert and the health of its rule. This rule is not evaluated; all others are. The log of check-rules names the rule and the reason, usually an item over 400 KB. Delete the item of the alert: the next run evaluates the rule again.',
  });
  operators.watch(stack, 'NotifyStopped', {
    metric: notify.metricInvocations({ period: Duration.minutes(5) }),
    when: 'silent',
    threshold: 1,
    periods: 3,
    meaning:
      'The function notify has not run for 15 minutes. No messages are sent; they stay pending. Check that the schedule every-minute is enabled and that notify is not throttled.',
  });
}
