import { OTHERS } from '../../shared/contract/grouping.ts';
import type { RuleStore } from '../../shared/deployments/rule-store.ts';
import { subjectOf } from '../../shared/messages/chart.ts';
import * as series from '../../shared/messages/chart-series.ts';
import { seriesKeyOf } from '../../shared/readings/series.ts';
import { type ChartDeps, loadCharts, seriesIn } from '../../shared/responding/charts.ts';
import { hasSegments } from '../../shared/rules/rule.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';

/** The series asked for, of a deployed rule. */
export async function loadSeries(
  ruleId: string,
  query: series.SeriesQuery,
  now: number,
  { rules, alerts, ...deps }: ChartDeps & { rules: Pick<RuleStore, 'loadCurrent'> },
): Promise<series.Series | { status: 404; why: string }> {
  const ruleSet = await rules.loadCurrent({ ids: new Set([ruleId]) });
  const rule = ruleSet?.rules.find(({ id }) => id === ruleId);
  if (!rule) return { status: 404, why: 'there is no such rule' };
  if (rule.members) return { status: 404, why: 'a rule that combines others has no series; ask for theirs' };
  const known = await alerts.loadOfRule(ruleId);
  const chosen = series.chosenIn(seriesIn(rule, known), query.segment);
  if (query.segment.some((each) => chosen.every(({ segment }) => segment !== each)))
    return { status: 404, why: 'the rule has no such segment' };
  const span = series.spanOf(query, rule, series.lastShown(chosen, rule, now));
  const drawn = span.count > 0 ? chosen : [];
  const { charts, windows, valuesOf } = await loadCharts({ rule, ...span }, drawn, known, deps.readings);
  const [fromAt = now, throughAt = now] = [windows[0]?.startAt, windows.at(-1)?.endAt];
  const notes = await deps.notes.load({ app: rule.app, fromAt, throughAt });
  const lines = chosen.map(({ segment }, i) => ({ segment, chart: charts[i] }));
  const metric = metricOf(rule);
  const addsUp = hasSegments(rule) && metric.kind === 'count' && metric.addsUp;
  return {
    ...series.seriesOfCharts(subjectOf(rule, null), windows, lines, notes.toReversed()),
    total: addsUp ? valuesOf(seriesKeyOf(rule, OTHERS, new Set())) : null,
  };
}
