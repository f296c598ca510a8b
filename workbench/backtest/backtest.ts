import { type Archive, readArchive } from '../../local/replay/archive.ts';
import { replay } from '../../local/replay/replay.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Stores } from '../../shared/store/stores.ts';
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
  signal?: AbortSignal | undefined;
  /** Get the alerts and the readings of the rules. */
  stores?: Stores;
}

/** The report of a backtest, as `--json` prints it: there, times are ISO 8601 in UTC. */
export interface BacktestReport extends ReplayReport {
  /** `null` without rules to compare with. */
  comparison: Comparison | null;
  notes: string[];
}

/** What the rules would have done, and how that differs from the base. Throws like `readArchive`. */
export async function backtest(request: BacktestRequest): Promise<BacktestReport> {
  const { ruleSet, base, span, sourceFor, clock, signal, stores } = request;
  const { rules } = ruleSet;
  const progress = (step: string) => (done: number, total: number) => request.onProgress?.(step, done, total);
  const figures = await readArchive({
    ...{ rules: [...rules, ...(base?.rules ?? [])], from: span.startAt, to: span.endAt },
    ...{ sourceFor, clock, signal, onProgress: progress('Reading past data') },
  });
  const past = { figures, span, signal };
  const report = await replayed(ruleSet, { ...past, stores, onProgress: progress('Replaying') });
  const before = base && (await replayed(base, { ...past, onProgress: progress('Replaying the old rules') }));
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

interface Past {
  figures: Archive;
  stores?: Stores | undefined;
  span: Window;
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

export async function replayed(ruleSet: RuleSet, { span, ...past }: Past): Promise<ReplayReport> {
  const log = new ReplayLog(ruleSet.rules);
  const events = replay({ ...past, ruleSet, from: span.startAt, to: span.endAt });
  for await (const event of events) log.add(event);
  return replayReport(log, { rules: ruleSet.rules, span });
}
