import { aggregationKey } from '../../shared/contract/grouping.ts';
import { aboutRule, type Finding } from '../../shared/lint/findings.ts';
import type { Means, MetricSource } from '../../shared/readings/metric-source.ts';
import type { Question } from '../../shared/readings/reading.ts';
import { questionFor } from '../../shared/readings/series.ts';
import { computedOf } from '../../shared/rules/figures.ts';
import type { Endpoint, Metric } from '../../shared/rules/metric.ts';
import { METRICS, type MetricName } from '../../shared/rules/metric-table.ts';
import { metricOf } from '../../shared/rules/metrics.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { type Calendar, lastClosedWindow, windowBefore } from '../../shared/time/window.ts';

/**
 * How the service supports a metric of an app: directly, computed from others (`how`), or not (`how` is the
 * reason).
 */
export interface AnsweredMetric {
  app: string;
  metric: MetricName;
  answer: Means['kind'];
  how?: string;
}

type Asked = { sourceFor: (app: string) => MetricSource; now: number };

const NAMES = Object.keys(METRICS) as MetricName[];
const ENDPOINTS: readonly Endpoint[] = ['event', 'session', 'user'];

/** Queries every metric of each app in `rules`. Endpoints without an answer are omitted. */
export async function answeredMetrics(rules: Rule[], asked: Asked): Promise<AnsweredMetric[]> {
  const answered: AnsweredMetric[] = [];
  const zones = new Map(rules.map(({ app, zone }) => [app, zone]));
  for (const [app, zone] of zones)
    for (const endpoint of ENDPOINTS) answered.push(...(await metricsOf(app, endpoint, zone, asked)));
  return answered.toSorted((a, b) => NAMES.indexOf(a.metric) - NAMES.indexOf(b.metric));
}

async function metricsOf(
  app: string,
  endpoint: Endpoint,
  zone: string,
  { sourceFor, now }: Asked,
): Promise<AnsweredMetric[]> {
  const source = sourceFor(app);
  const names = NAMES.filter((name) => METRICS[name].endpoint === endpoint);
  const result = await source.read(questionAbout(app, endpoint, { grain: 'day', zone }, now));
  if (result.kind !== 'read' && !(result.kind === 'failed' && result.isRefusal)) return [];
  const means = names.map((metric): [MetricName, Means | undefined] => [
    metric,
    source.meansFor?.({ app, endpoint }, METRICS[metric].aggregation),
  ]);
  // Without rows or an explanation, only the answer itself is known.
  const isTested = result.kind === 'read' || means.some(([, each]) => each?.kind === 'refused');
  if (!isTested) return [];
  return means.map(([metric, each]) => ({ app, metric, ...answerOf(each) }));
}

function answerOf(means: Means | undefined): Pick<AnsweredMetric, 'answer' | 'how'> {
  if (means?.kind === 'derived') return { answer: 'derived', how: means.how };
  if (means?.kind === 'refused') return { answer: 'refused', how: means.reason };
  return { answer: 'asked' };
}

/** All metrics of an endpoint in one query, counts first. */
function questionAbout(app: string, endpoint: Endpoint, calendar: Calendar, now: number): Question {
  const metrics = Object.values<Metric>(METRICS).filter((metric) => metric.endpoint === endpoint);
  const isMean = (metric: Metric) => Number(metric.kind === 'mean');
  const aggregations = metrics
    .toSorted((a, b) => isMean(a) - isMean(b))
    .flatMap((metric) => [
      ...(metric.kind === 'mean' ? [metric.weight.aggregation] : []),
      metric.aggregation,
    ]);
  const window = lastClosedWindow(now, calendar);
  return {
    ...{ app, endpoint, calendar, filters: [], window, previous: windowBefore(window, calendar) },
    aggregations: [...new Map(aggregations.map((each) => [aggregationKey(each), each])).values()],
  };
}

/** Rules whose metric the service does not support, or not with their filters. */
export async function unansweredRules(
  rules: Rule[],
  metrics: AnsweredMetric[],
  { sourceFor, now }: Asked,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const rule of rules.filter((each): each is FigureRule => each.members === undefined)) {
    const found = metrics.find(({ app, metric }) => app === rule.app && metric === rule.metric);
    const key = keyOfMetric(rule);
    const isAsked = found?.answer === 'derived' || key !== 'metric' || typeof rule.metric === 'object';
    const reason =
      found?.answer === 'refused'
        ? found.how
        : isAsked
          ? await refusalOf(rule, sourceFor(rule.app), now)
          : undefined;
    if (reason === undefined) continue;
    const name = typeof rule.metric === 'string' ? rule.metric : metricOf(rule).unit;
    const message = `${name} of ${rule.app} cannot be read: ${reason}`;
    findings.push(...aboutRule(rule.id, [{ code: 'live-unread', path: [key], message }]));
  }
  return findings;
}

/** The key that names the metric. The list of metrics lacks computed ones. */
function keyOfMetric(rule: FigureRule): 'metric' | 'ratio' | 'formula' {
  if (!computedOf(rule)) return 'metric';
  return rule.formula === undefined ? 'ratio' : 'formula';
}

async function refusalOf(rule: FigureRule, source: MetricSource, now: number): Promise<string | undefined> {
  const window = lastClosedWindow(now, { grain: rule.window, zone: rule.zone });
  const result = await source.read(questionFor([rule], window));
  return result.kind === 'failed' ? result.reason : undefined;
}
