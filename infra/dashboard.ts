import { Duration, type Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Stage } from '../shared/config/stage.ts';
import type { Counted, Measured, RequestFigures } from '../shared/runtime/metrics.ts';
import { metricsNamespace } from './constructs/watched-function.ts';

interface DashboardParts {
  stage: Stage;
  table: ITable;
  functions: IFunction[];
  queues: { batches: IQueue; wakeUps: IQueue };
}

const TELLS_NO_BYTES = ['postgres', 'posthog'];
/** The service under which the bytes that the engine reads are counted; `undefined` if it does not tell them. */
function meteredAs({ dataAccess }: Stage): string | undefined {
  if (dataAccess.kind === 'tables')
    return TELLS_NO_BYTES.includes(dataAccess.tables.engine) ? undefined : 'figures-for-rules';
  return dataAccess.kind === 'own' && dataAccess.engine === 'athena' ? 'data-access' : undefined;
}

const HOUR = { statistic: 'Sum', period: Duration.hours(1) };
const OLDEST = { statistic: 'Maximum', period: Duration.minutes(5) };

/** What the stage does, what fails, what waits and what costs, in CloudWatch. */
export function addDashboard(stack: Stack, { stage, table, functions, queues }: DashboardParts): void {
  const counted = (metricName: Counted | keyof RequestFigures, service: string) =>
    new Metric({
      ...{ namespace: metricsNamespace(stage), metricName, dimensionsMap: { service }, label: metricName },
      ...HOUR,
    });
  const oldestPending: Measured = 'OldestPendingSeconds';
  const ofEach = (metricOf: (each: IFunction) => IMetric) => functions.map(metricOf);
  const labelled = ({ node }: IFunction) => ({ ...HOUR, label: node.id });
  const graphs: [title: string, left: IMetric[]][] = [
    ['Evaluations', [counted('Evaluations', 'check-rules')]],
    ['Notifications sent', [counted('NotificationsSent', 'notify')]],
    [
      'Failures',
      [
        counted('CallsMissing', 'plan-checks'),
        counted('ReadsFailed', 'check-rules'),
        counted('AlertsUnsaved', 'check-rules'),
        counted('NotificationsStuck', 'notify'),
        counted('ItemsUnreadable', 'table'),
      ],
    ],
    ['Errors of functions', ofEach((each) => each.metricErrors(labelled(each)))],
    [
      'Seconds that the oldest message waits',
      [
        new Metric({
          ...{ namespace: metricsNamespace(stage), metricName: oldestPending },
          ...{ dimensionsMap: { service: 'notify' }, label: 'pending notifications', ...OLDEST },
        }),
        queues.batches.metricApproximateAgeOfOldestMessage({ ...OLDEST, label: 'batches' }),
        queues.wakeUps.metricApproximateAgeOfOldestMessage({ ...OLDEST, label: 'wake-ups' }),
      ],
    ],
    ['Cost: calls of functions', ofEach((each) => each.metricInvocations(labelled(each)))],
    ['Cost: milliseconds of functions', ofEach((each) => each.metricDuration(labelled(each)))],
    [
      'Cost: units of the table',
      [
        table.metricConsumedReadCapacityUnits({ ...HOUR, label: 'read' }),
        table.metricConsumedWriteCapacityUnits({ ...HOUR, label: 'written' }),
      ],
    ],
  ];
  const engine = meteredAs(stage);
  if (engine !== undefined)
    graphs.push(['Cost: bytes that the engine reads', [counted('BytesScanned', engine)]]);
  const widgets = graphs.map(([title, left]) => new GraphWidget({ title, left, width: 8 }));
  new Dashboard(stack, 'Dashboard', {
    // The names of dashboards are those of the account, not of the region.
    dashboardName: `deltawatch-${stage.name}-${stack.region}`,
    defaultInterval: Duration.days(7),
    widgets: Array.from({ length: Math.ceil(widgets.length / 3) }, (_, row) =>
      widgets.slice(3 * row, 3 * row + 3),
    ),
  });
}
