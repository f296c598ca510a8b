import { type Archive, readArchive } from '../../local/replay/archive.ts';
import { replay } from '../../local/replay/replay.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Window } from '../../shared/time/window.ts';
import { type Comparison, comparisonOf } from './compare.ts';
import { beginningNotes, notesOn } from './notes.ts';
import { ReplayLog } from './replay-log.ts';
import { type ReplayReport, replayReport } from './report.ts';

export interface BacktestRequest {
  ruleSet: RuleSet;
  /** Rules to compare with, on the same figures. */
  base?: RuleSet;
  /** Runs in `(startAt, endAt]` are replayed. */
  span: Window;
  sourceFor: (app: string) => MetricSource;
  clock: Clock;
  onProgress?: (step: string, done: number, total: number) => void;
  signal?: AbortSignal;
}

/** The report of a backtest, as `--json` prints it: there, times are ISO 8601 in UTC. */
export interface BacktestReport extends ReplayReport {
  /** `null` without rules to compare with. */
  comparison: Comparison | null;
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
  return {
    ...report,
    comparison:
      base && before ? comparisonOf({ rules: base.rules, report: before }, { rules, report }) : null,
    notes: [
      ...beginningNotes(byFigures, figures, span.startAt),
      ...notesOn(rules, report),
      ...figures.notes.map((note) => `${note}.`),
    ],
  };
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
  const { span, signal } = request;
  const { rules } = ruleSet;
  const log = new ReplayLog(rules);
  const events = replay({
    ...{ ruleSet, figures, from: span.startAt, to: span.endAt },
    onProgress: progressOf(request, step),
    ...(signal && { signal }),
  });
  for await (const event of events) log.add(event);
  return replayReport(log, { rules, span });
}

function progressOf({ onProgress }: BacktestRequest, step: string) {
  return (done: number, total: number) => onProgress?.(step, done, total);
}
