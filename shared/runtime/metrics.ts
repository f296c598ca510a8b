import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** What is counted about our own work. */
export type Counted =
  | 'Evaluations'
  | 'ReadsFailed'
  | 'AlertsUnsaved'
  | 'NotificationsSent'
  | 'NotificationsStuck'
  | 'ItemsUnreadable';

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

/** What one request of the data access service came to; each figure 0 where there was none of it. */
export type RequestFigures = Readonly<Record<keyof typeof REQUEST_UNITS, number>>;
export type RequestMeter = (figures: RequestFigures) => void;

const REQUEST_UNITS = {
  Requests: MetricUnit.Count,
  Refusals: MetricUnit.Count,
  Failures: MetricUnit.Count,
  DurationMs: MetricUnit.Milliseconds,
  Rows: MetricUnit.Count,
  BytesScanned: MetricUnit.Bytes,
} as const;

/** Writes the figures of a request as one line. Without `namespace` it is that of the environment, as for `createMeter`. */
export function createRequestMeter(service: string, namespace?: string): RequestMeter {
  const metrics = new Metrics({ serviceName: service, ...(namespace && { namespace }) });
  return (figures) => {
    for (const [name, unit] of Object.entries(REQUEST_UNITS))
      metrics.addMetric(name, unit, figures[name as keyof RequestFigures]);
    metrics.publishStoredMetrics();
  };
}
