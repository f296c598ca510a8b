import * as z from 'zod';
import { systemClock } from './clock.ts';
import { readEnvironment } from './environment.ts';

/** The metrics that functions count. */
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

/** Writes one line per figure. */
export function createMeter(service: string): Meter {
  const write = writerFor(service);
  return {
    count: (what, by = 1) => write({ [what]: 'Count' }, { [what]: by }),
    measure: (what, seconds) => write({ [what]: 'Seconds' }, { [what]: seconds }),
  };
}

/** Writes CloudWatch's embedded metric format: log lines, so that a metric needs no call and no permission. */
function writerFor(service: string, namespace = stageNamespace()) {
  return (units: Record<string, string>, figures: Record<string, number>) => {
    const metrics = Object.entries(units).map(([Name, Unit]) => ({ Name, Unit }));
    const about = { Namespace: namespace, Dimensions: [['service']], Metrics: metrics };
    const _aws = { Timestamp: systemClock.now(), CloudWatchMetrics: [about] };
    process.stdout.write(`${JSON.stringify({ _aws, service, ...figures })}\n`);
  };
}

const stageNamespace = () =>
  readEnvironment({ METRICS_NAMESPACE: z.string().default('Deltawatch') }).METRICS_NAMESPACE;

/** The figures of one request to the data access service. */
export type RequestFigures = Readonly<Record<keyof typeof REQUEST_UNITS, number>>;
export type RequestMeter = (figures: RequestFigures) => void;

const REQUEST_UNITS = {
  Requests: 'Count',
  Refusals: 'Count',
  Failures: 'Count',
  DurationMs: 'Milliseconds',
  Rows: 'Count',
  BytesScanned: 'Bytes',
} as const;

/** Writes the figures of a request as one line. By default, `namespace` is that of the environment. */
export function createRequestMeter(service: string, namespace?: string): RequestMeter {
  const write = writerFor(service, namespace);
  return (figures) => write(REQUEST_UNITS, figures);
}
