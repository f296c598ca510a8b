import { counted } from '../../local/terminal.ts';
import type { AnsweredMetric } from '../../workbench/live-check/answered-metrics.ts';
import { wrapped } from '../terminal/wrapping.ts';

/** How the service supports the metrics of each app. Directly supported metrics are only counted. */
export function answeredMetricsText(metrics: AnsweredMetric[]): string[] {
  return [...Map.groupBy(metrics, ({ app }) => app)].flatMap(([app, own]) => {
    const of = (kind: AnsweredMetric['answer']) => own.filter(({ answer }) => answer === kind);
    const [direct, refused] = [of('asked').length, of('refused').map(({ metric }) => metric)];
    const all = counted(own.length, 'metric');
    return [
      ...wrapped(
        `${app}: the service supports ${direct === own.length ? 'all' : `${direct} of`} ${all} directly`,
      ),
      ...of('derived').flatMap(({ metric, how }) => wrapped(`  ${metric} is computed from ${how}`)),
      ...(refused.length > 0 ? wrapped(`  it does not support ${refused.join(', ')}`) : []),
    ];
  });
}
