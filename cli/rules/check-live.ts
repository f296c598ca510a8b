import type { Finding } from '../../shared/lint/findings.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { counted } from '../../shared/text/counted.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { DAYS } from '../../workbench/live-check/known-values.ts';
import { liveFindings, unknownApps } from '../../workbench/live-check/live-findings.ts';
import type { FigureOptions } from '../options/figure-source.ts';

/** The data that `--live` queried, and the calls made. */
export interface Live {
  source: string;
  calls: number;
}

/** Checks `rules` against the service's data. Throws `ConfigError` without a source. */
export async function askService(
  rules: Rule[],
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
  if (strange.length > 0 && answered.length === 0)
    return { findings: strange, live: { source: 'no service', calls: 0 } };
  const need = { ruleSet: { rules: answered }, from: now - DAYS * DAY_MS, to: now, clock };
  const { sourceFor, describe, close } = await openFigures(options, need);
  try {
    const findings = [...strange, ...(await liveFindings(answered, { sourceFor, now }))];
    const apps = new Set(answered.map(({ app }) => app));
    const calls = [...apps].reduce((sum, app) => sum + (sourceFor(app).callsMade?.() ?? 0), 0);
    return { findings, live: { source: describe, calls } };
  } finally {
    close();
  }
}

export function liveText({ source, calls }: Live): string {
  return `queried ${source}${calls > 0 ? ` with ${counted(calls, 'call')}` : ''}\n`;
}
