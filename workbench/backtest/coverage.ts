import type { ReplayedGap } from '../../local/replay/replayed.ts';
import type { Verdict } from '../../shared/evaluation/evaluation.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { lastClosedWindow, type Window } from '../../shared/time/window.ts';
import { MINUTE_MS } from '../../shared/units/durations.ts';
import type { SeriesLog } from './series-log.ts';

interface ReplayedRule {
  series: SeriesLog[];
  /** Runs that could not evaluate the rule, in order. */
  gaps: ReplayedGap[];
  span: Window;
}

/** How much of the past the rule could evaluate. */
export function coverageOf(rule: Rule, { series, gaps, span }: ReplayedRule) {
  const evaluated = new Set(series.flatMap((each) => each.windowEnds()));
  const missing = missingWindows(rule, gaps, evaluated);
  const sum = (...verdicts: Verdict[]) =>
    series
      .map((each) => each.counts())
      .reduce((all, counts) => all + verdicts.reduce((some, verdict) => some + counts[verdict], 0), 0);
  const known = sum('breached', 'clear');
  const all = sum('breached', 'clear', 'no-data', 'inconclusive', 'failed');
  const due = evaluated.size + missing.length;
  const from = earliest(series.flatMap(({ comparedFromAt }) => comparedFromAt ?? []));
  const lost = missing.reduce((ms, each) => ms + (each.startAt >= (from ?? 0) ? lengthOf(each) : 0), 0);
  return {
    /** Windows of all series, each once, by its last verdict. `unevaluated`: due and never evaluated. */
    windows: {
      evaluated: all,
      breached: sum('breached'),
      inconclusive: sum('inconclusive', 'failed'),
      noData: sum('no-data'),
      unevaluated: missing.length,
    },
    /** Share of the due windows without a verdict. One that was not evaluated counts for all segments. */
    unknownShare: known === 0 ? 1 : 1 - (known / all) * (evaluated.size / due),
    /** Start of the first window with a verdict; `null` where none had one. */
    knownFromAt: earliest(series.flatMap(({ knownFromAt }) => knownFromAt ?? [])),
    /** Milliseconds from the first window with a baseline, without unevaluated windows. 0 without a baseline. */
    evaluatedMs: from === null ? 0 : span.endAt - Math.max(span.startAt, from) - lost,
  };
}

/** Windows due at failed runs that no later run evaluated. */
function missingWindows(rule: Rule, gaps: ReplayedGap[], evaluated: ReadonlySet<number>): Window[] {
  const calendar = { grain: rule.window, zone: rule.zone };
  const due = gaps.map(({ at }) => lastClosedWindow(at - rule.settle * MINUTE_MS, calendar));
  const missing = due.filter(({ endAt }) => !evaluated.has(endAt));
  return [...new Map(missing.map((window) => [window.endAt, window])).values()];
}

function earliest(times: number[]): number | null {
  return times.length > 0 ? times.reduce((a, b) => Math.min(a, b)) : null;
}

export function lengthOf({ startAt, endAt }: Window): number {
  return endAt - startAt;
}
