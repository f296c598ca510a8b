import { aboutRule, type Finding } from '../../shared/lint/findings.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { dateAt } from '../../shared/time/window.ts';
import { lastDays } from './known-values.ts';

/** Apps without data in the last days. Their rules are not checked: the data would prove nothing. */
export async function silentApps(
  rules: FigureRule[],
  { sourceFor, now }: { sourceFor: (app: string) => Pick<MetricSource, 'readNewestEventAt'>; now: number },
): Promise<{ apps: ReadonlySet<string>; findings: Finding[] }> {
  const apps = new Set<string>();
  const findings: Finding[] = [];
  for (const [app, [first]] of Map.groupBy(rules, (rule) => rule.app)) {
    if (!first) continue;
    const { startAt } = lastDays(now, first.zone);
    const newest = await sourceFor(app).readNewestEventAt(app, startAt);
    if (newest.kind !== 'read' || (newest.value ?? -Infinity) >= startAt) continue;
    apps.add(app);
    const since = dateAt(startAt, first.zone);
    const message = `${app} has sent nothing since ${since}, so its rules are not checked`;
    findings.push(...aboutRule(first.id, [{ code: 'live-unread', path: ['app'], message }]));
  }
  return { apps, findings };
}
