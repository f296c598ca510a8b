import { aboutRule, type Finding } from '../../shared/lint/findings.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';
import { dateAt } from '../../shared/time/window.ts';
import { lastDays } from './known-values.ts';
import { unmatchedRules } from './unmatched-rules.ts';

interface Asking {
  sourceFor: (app: string) => MetricSource;
  now: number;
}

/** What the data of the service reveals about rules: apps without data, and rules that match nothing. */
export async function liveFindings(rules: Rule[], asking: Asking): Promise<Finding[]> {
  const figures = rules.filter((rule): rule is FigureRule => rule.members === undefined);
  const silent = await silentApps(figures, asking);
  const answered = figures.filter(({ app }) => !silent.apps.has(app));
  return [...silent.findings, ...(await unmatchedRules(answered, asking))];
}

/** Apps without data in the last days. Their rules are not checked: the data would prove nothing. */
async function silentApps(rules: FigureRule[], { sourceFor, now }: Asking) {
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

/** Rules of apps that the data does not have, with the names of apps that it has. */
export function unknownApps(rules: Rule[], known: readonly string[]): Finding[] {
  return rules
    .filter(({ app }) => !known.includes(app))
    .flatMap(({ id, app }) => {
      const next = didYouMean(app, known) || '; import it with deltawatch data import, or use --data';
      return aboutRule(id, [
        { code: 'live-unread', path: ['app'], message: `there is no data for the app "${app}"${next}` },
      ]);
    });
}
