import { counted } from '../../local/terminal.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { Finding } from '../../shared/lint/findings.ts';
import { callsPerDay, historyCosts, runsWithinAWeek } from '../../shared/planning/history-cost.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import {
  type AnsweredMetric,
  answeredMetrics,
  unansweredRules,
} from '../../workbench/live-check/answered-metrics.ts';
import { insensitiveRules } from '../../workbench/live-check/insensitive-rules.ts';
import { DAYS } from '../../workbench/live-check/known-values.ts';
import { liveFindings } from '../../workbench/live-check/live-findings.ts';
import { unknownApps } from '../../workbench/live-check/unknown-apps.ts';
import { CALLS_PER_HOUR } from '../options/allowed-calls.ts';
import type { FigureOptions } from '../options/figure-options.ts';
import { answeredMetricsText } from './answered-metrics-text.ts';

/** The data that `--live` queried, the calls made, and the calls per day of the rules. */
export interface Live {
  source: string;
  calls: number;
  callsPerDay: number;
  allowedPerDay: number;
  /** How the service supports each metric of each app; endpoints without an answer are omitted. */
  metrics: AnsweredMetric[];
}

/** Checks `rules` against the service's data. Throws `ConfigError` without a source. */
export async function askService(
  { rules, routes }: Pick<RuleSet, 'rules' | 'routes'>,
  options: FigureOptions,
  clock: Clock,
): Promise<{ findings: Finding[]; live: Live }> {
  const now = clock.now();
  // Imported here because it loads a database.
  const { appsWithFigures, openFigures } = await import('../options/figures.ts');
  const known = await appsWithFigures(
    options,
    rules.map(({ app }) => app),
  );
  const strange = known ? unknownApps(rules, known) : [];
  const answered = known ? rules.filter(({ app }) => known.includes(app)) : rules;
  const apps = [...new Set(answered.map(({ app }) => app))];
  if (strange.length > 0 && apps.length === 0)
    return {
      findings: strange,
      live: { source: 'no service', calls: 0, callsPerDay: 0, allowedPerDay: 0, metrics: [] },
    };
  const need = { ruleSet: { rules: answered }, from: now - DAYS * DAY_MS, to: now, clock };
  const figures = await openFigures(options, need);
  try {
    const asked = { sourceFor: figures.sourceFor, now };
    const findings = [...strange, ...(await liveFindings(answered, asked))];
    const metrics = await answeredMetrics(answered, asked);
    findings.push(...(await unansweredRules(answered, metrics, asked)));
    const said = new Set(findings.flatMap((each) => (each.of === 'rule' ? [each.ruleId] : [])));
    const working = answered.filter(({ id }) => !said.has(id));
    findings.push(
      ...(await insensitiveRules({ rules: working, routes }, { sourceFor: figures.sourceFor, clock })),
    );
    const calls = apps.reduce((sum, app) => sum + (figures.sourceFor(app).callsMade?.() ?? 0), 0);
    const live: Live = {
      source: figures.describe,
      calls,
      callsPerDay: callsOf(answered, now),
      allowedPerDay: 24 * CALLS_PER_HOUR * apps.length,
      metrics,
    };
    return { findings, live };
  } finally {
    figures.close();
  }
}

function callsOf(rules: Rule[], now: number): number {
  const costs = historyCosts(
    rules.filter((rule) => !rule.members),
    now,
    CALLS_PER_HOUR,
  );
  return Math.ceil(callsPerDay(costs, runsWithinAWeek(now)));
}

export function liveText({ source, calls, callsPerDay: perDay, allowedPerDay, metrics }: Live): string {
  if (allowedPerDay === 0) return `queried ${source}\n`;
  const allowed = allowedPerDay.toLocaleString('en-US');
  return [
    ...answeredMetricsText(metrics),
    `queried ${source} with ${counted(calls, 'call')};`,
    `the rules need ${perDay} calls a day and about 12 per fire; ${allowed} a day are allowed\n`,
  ].join('\n');
}
