import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

export type Counted =
  | 'CallsMissing'
  | 'Evaluations'
  | 'ReadsFailed'
  | 'AlertsUnsaved'
  | 'NotificationsSent'
  | 'NotificationsStuck'
  | 'ItemsUnreadable';

/** The metrics that functions measure in seconds. */
export type Measured = 'OldestPendingSeconds';

export interface Meter {
  count(what: Counted, by?: number): void;
  measure(what: Measured, seconds: number): void;
}

/**
 * Writes CloudWatch's embedded metric format: one log line per figure, so that a metric needs no call and no
 * permission. Powertools reads the namespace, one per stage, from `POWERTOOLS_METRICS_NAMESPACE`.
 */
export function createMeter(service: string): Meter {
  const metrics = new Metrics({ serviceName: service, singleMetric: true });
  return {
    count: (what, by = 1) => void metrics.addMetric(what, MetricUnit.Count, by),
    measure: (what, seconds) => void metrics.addMetric(what, MetricUnit.Seconds, seconds),
  };
}

/** The figures of one request to the data access service. */
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

/** Writes the figures of a request as one line. `namespace`: by default that of the environment. */
export function createRequestMeter(service: string, namespace?: string): RequestMeter {
  const metrics = new Metrics({ serviceName: service, ...(namespace && { namespace }) });
  return (figures) => {
    for (const [name, unit] of Object.entries(REQUEST_UNITS))
      metrics.addMetric(name, unit, figures[name as keyof RequestFigures]);
    metrics.publishStoredMetrics();
  };
}
