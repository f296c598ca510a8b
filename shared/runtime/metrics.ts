import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** What is counted about our own work. */
type Counted = 'Evaluations' | 'ReadsFailed' | 'AnnouncementsSent' | 'AnnouncementsStuck';

export interface Meter {
  count(what: Counted, by?: number): void;
}

/**
 * Counts in CloudWatch's embedded metric format: a line in the log each, so that counting needs no call and no right.
 * The namespace, one for each stage, is Powertools' own to read: `POWERTOOLS_METRICS_NAMESPACE`.
 */
export function createMeter(service: string): Meter {
  const metrics = new Metrics({ serviceName: service, singleMetric: true });
  return { count: (what, by = 1) => void metrics.addMetric(what, MetricUnit.Count, by) };
}
