import { type Archive, readArchive } from '../../local/replay/archive.ts';
import { replay } from '../../local/replay/replay.ts';
import type { ReplayEvent } from '../../local/replay/replayed.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { callsPerDay, historyCosts, runsWithinAWeek } from '../../shared/planning/history-cost.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Window } from '../../shared/time/window.ts';
import { type Comparison, comparisonOf } from './compare.ts';
import type { Label } from './label.ts';
import { Ledger } from './message-log.ts';
import { beginningNotes, notesOn } from './notes.ts';
import { type Statistics, statisticsOf } from './statistics.ts';
import { Matches, unmatchedNotes } from './unmatched.ts';

export interface BacktestRequest {
  ruleSet: RuleSet;
  /** Rules to compare with, on the same figures. */
  base?: RuleSet;
  /** Runs in `(startAt, endAt]` are replayed. */
  span: Window;
  labels: Label[] | undefined;
  sourceFor: (app: string) => MetricSource;
  clock: Clock;
  /** Receives every event of `rules`, not those of the base. */
  onEvent?: (event: ReplayEvent) => void;
  onProgress?: (step: string, done: number, total: number) => void;
  signal?: AbortSignal;
}

/** What the rules would have done in the past, and how that differs from the base. */
export interface Backtest {
  statistics: Statistics;
  comparison: Comparison | null;
  /** Calls made to read the past, and the most that the rules cost per day in production. */
  calls: { made: number; perDay: number };
  notes: string[];
}

/** The service's default limits. */
const CALLS_PER_HOUR = 500;

/** Reads the past once and replays the rules on it. Throws like `readArchive`. */
export async function backtest(request: BacktestRequest): Promise<Backtest> {
  const { ruleSet, base, span, sourceFor, clock, signal } = request;
  const figures = await readArchive({
    ...{ rules: [...ruleSet.rules, ...(base?.rules ?? [])], from: span.startAt, to: span.endAt },
    ...{ sourceFor, clock, onProgress: progressOf(request, 'Reading past data') },
    ...(signal && { signal }),
  });
  const matches = new Matches(ruleSet.rules, span, figures);
  const onEvent = (event: ReplayEvent) => {
    matches.add(event);
    request.onEvent?.(event);
  };
  const statistics = await replayed({ ...request, onEvent }, { ruleSet, figures, step: 'Replaying' });
  const before =
    base &&
    (await replayed(
      { ...request, onEvent: () => {} },
      { ruleSet: base, figures, step: 'Replaying the old rules' },
    ));
  const byFigures = ruleSet.rules.filter((rule) => !rule.members);
  const asked = callsMade(request);
  const unmatched = await matches.unmatched(sourceFor);
  const ids = new Set(unmatched.map(({ rule }) => rule.id));
  const costs = historyCosts(byFigures, span.endAt, CALLS_PER_HOUR);
  return {
    statistics,
    comparison: before ? comparisonOf(before, statistics) : null,
    calls: {
      made: [...figures.calls.values()].reduce((sum, calls) => sum + calls, callsMade(request) - asked),
      perDay: callsPerDay(costs, runsWithinAWeek(span.endAt)),
    },
    notes: [
      ...unmatchedNotes(unmatched),
      ...beginningNotes(byFigures, figures, { fromAt: span.startAt, fired: firedIn(statistics) }),
      ...notesOn(statistics, ids),
      ...figures.notes.map((note) => `${note}.`),
    ],
  };
}

function firedIn({ rules }: Statistics): Set<string> {
  return new Set(rules.flatMap(({ rule, alerts }) => (alerts > 0 ? [rule.id] : [])));
}

function callsMade({ ruleSet, sourceFor }: BacktestRequest): number {
  const apps = new Set(ruleSet.rules.map(({ app }) => app));
  return [...apps].reduce((sum, app) => sum + (sourceFor(app).callsMade?.() ?? 0), 0);
}

interface Replayed {
  ruleSet: RuleSet;
  figures: Archive;
  step: string;
}

async function replayed(request: BacktestRequest, { ruleSet, figures, step }: Replayed): Promise<Statistics> {
  const { span, labels, onEvent, signal } = request;
  const ledger = new Ledger(ruleSet.rules);
  const events = replay({
    ...{ ruleSet, figures, from: span.startAt, to: span.endAt },
    onProgress: progressOf(request, step),
    ...(signal && { signal }),
  });
  for await (const event of events) {
    ledger.add(event);
    onEvent?.(event);
  }
  return statisticsOf(ledger, { ruleSet, span, labels });
}

function progressOf({ onProgress }: BacktestRequest, step: string) {
  return (done: number, total: number) => onProgress?.(step, done, total);
}
