import { type Archive, readArchive } from '../../local/replay/archive.ts';
import { replay } from '../../local/replay/replay.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { callsPerDay, runningCosts, runsWithinAWeek } from '../../shared/planning/call-cost.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Window } from '../../shared/time/window.ts';
import { unmatchedRules } from '../live-check/unmatched-rules.ts';
import { type Comparison, comparisonOf } from './compare.ts';
import type { KnownIncident } from './known-incidents.ts';
import { beginningNotes, isSilent, notesOn } from './notes.ts';
import { ReplayLog } from './replay-log.ts';
import { type ReplayReport, replayReport } from './report.ts';

export interface BacktestRequest {
  ruleSet: RuleSet;
  /** Rules to compare with, on the same figures. */
  base?: RuleSet;
  /** Runs in `(startAt, endAt]` are replayed. */
  span: Window;
  known?: KnownIncident[] | undefined;
  sourceFor: (app: string) => MetricSource;
  clock: Clock;
  onProgress?: (step: string, done: number, total: number) => void;
  signal?: AbortSignal;
}

/** The report of a backtest, as `--json` prints it: there, times are ISO 8601 in UTC. */
export interface BacktestReport extends ReplayReport {
  /** `null` without rules to compare with. */
  comparison: Comparison | null;
  /** Calls made to read the past, and the most that the rules cost per day in production. */
  calls: { made: number; perDay: number };
  notes: string[];
}

/**
 * What the rules would have done in the past, and how that differs from the base. Reads the past once and replays the
 * rules on it. Throws like `readArchive`.
 */
export async function backtest(request: BacktestRequest): Promise<BacktestReport> {
  const { ruleSet, base, span, sourceFor, clock, signal } = request;
  const { rules } = ruleSet;
  const figures = await readArchive({
    ...{ rules: [...rules, ...(base?.rules ?? [])], from: span.startAt, to: span.endAt },
    ...{ sourceFor, clock, onProgress: progressOf(request, 'Reading past data') },
    ...(signal && { signal }),
  });
  const report = await replayed(request, { ruleSet, figures, step: 'Replaying' });
  const before =
    base && (await replayed(request, { ruleSet: base, figures, step: 'Replaying the old rules' }));
  const byFigures = rules.filter((rule): rule is FigureRule => !rule.members);
  const runsOf = runsWithinAWeek(span.endAt);
  const costs = runningCosts(byFigures, runsOf);
  const unmatched = await unmatchedAmong(byFigures, report, { sourceFor, figures });
  return {
    ...report,
    comparison:
      base && before ? comparisonOf({ rules: base.rules, report: before }, { rules, report }) : null,
    calls: {
      made: [...figures.calls.values()].reduce((sum, calls) => sum + calls, 0),
      perDay: callsPerDay(costs, runsOf),
    },
    notes: [
      ...[...unmatched].map(([id, message]) => `${id} ${message}${message.endsWith('?') ? '' : '.'}`),
      ...beginningNotes(byFigures, figures, span.startAt),
      ...notesOn(rules, report, new Set(unmatched.keys())),
      ...figures.notes.map((note) => `${note}.`),
    ],
  };
}

/** What `check --live` says of rules without a value, if their apps have data, by id. */
async function unmatchedAmong(
  rules: FigureRule[],
  report: ReplayReport,
  { sourceFor, figures }: { sourceFor: BacktestRequest['sourceFor']; figures: Archive },
): Promise<Map<string, string>> {
  const silent = new Set(report.rules.filter(isSilent).map(({ rule }) => rule));
  const asked = rules.filter(
    ({ id, app }) => silent.has(id) && figures.newestDataAt(app, report.endAt) !== null,
  );
  const findings = await unmatchedRules(asked, { sourceFor, now: report.endAt });
  return new Map(findings.flatMap((each) => (each.of === 'rule' ? [[each.ruleId, each.message]] : [])));
}

interface Replayed {
  ruleSet: RuleSet;
  figures: Archive;
  step: string;
}

async function replayed(
  request: BacktestRequest,
  { ruleSet, figures, step }: Replayed,
): Promise<ReplayReport> {
  const { span, known, signal } = request;
  const { rules } = ruleSet;
  const log = new ReplayLog(rules);
  const events = replay({
    ...{ ruleSet, figures, from: span.startAt, to: span.endAt },
    onProgress: progressOf(request, step),
    ...(signal && { signal }),
  });
  for await (const event of events) log.add(event);
  return replayReport(log, { rules, span, known });
}

function progressOf({ onProgress }: BacktestRequest, step: string) {
  return (done: number, total: number) => onProgress?.(step, done, total);
}
