import type { ReplayedGap } from '../../local/replay/replayed.ts';
import type { Verdict } from '../../shared/evaluation/evaluation.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { lastClosedWindow, type Window, windowBefore } from '../../shared/time/window.ts';
import type { SeriesLog } from './series-log.ts';

/** How much of the past the rule could evaluate. */
export interface Coverage {
  /** Windows of all series, each once, by its last verdict. `unevaluated`: due and never evaluated. */
  windows: Record<'evaluated' | 'breached' | 'inconclusive' | 'noData' | 'unevaluated', number>;
  /** Share of the due windows without a verdict. */
  unknownShare: number;
  /** Start of the first window with a verdict; `null` where none had one. */
  knownFromAt: number | null;
  /**
   * Milliseconds from the first window with a baseline to the end of the replay, not counting unevaluated windows. 0 if
   * no window has a baseline.
   */
  evaluatedMs: number;
}

interface ReplayedRule {
  series: SeriesLog[];
  /** Runs that could not evaluate the rule, in order. */
  gaps: ReplayedGap[];
  span: Window;
}

export function coverageOf(rule: Rule, { series, gaps, span }: ReplayedRule): Coverage {
  const evaluated = new Set(series.flatMap((each) => each.windowEnds()));
  const missing = unevaluatedWindows(rule, { series, gaps, evaluated });
  const sum = (...verdicts: Verdict[]) =>
    series
      .map((each) => each.counts())
      .reduce((all, counts) => all + verdicts.reduce((some, verdict) => some + counts[verdict], 0), 0);
  const known = sum('breached', 'clear');
  const all = sum('breached', 'clear', 'no-data', 'inconclusive', 'failed');
  const due = new Set([...evaluated, ...missing.map(({ endAt }) => endAt)]).size;
  return {
    windows: {
      evaluated: all,
      breached: sum('breached'),
      inconclusive: sum('inconclusive', 'failed'),
      noData: sum('no-data'),
      unevaluated: missing.length,
    },
    // A window that was not evaluated counts for all segments.
    unknownShare: known === 0 ? 1 : 1 - (known / all) * (1 - missing.length / due),
    knownFromAt: earliest(series.flatMap(({ knownFromAt }) => knownFromAt ?? [])),
    evaluatedMs: evaluatedMs(series, missing, span),
  };
}

/**
 * Windows due at failed runs that no later run evaluated. Windows before the first successful run count too:
 * the data begins there, and earlier windows have no baseline.
 */
function unevaluatedWindows(
  rule: Rule,
  { series, gaps, evaluated }: Pick<ReplayedRule, 'series' | 'gaps'> & { evaluated: ReadonlySet<number> },
): Window[] {
  const calendar = { grain: rule.window, zone: rule.zone };
  const windowDueAt = (at: number) => lastClosedWindow(at - rule.settle * 60_000, calendar);
  const beganAt = series.reduce((first, { firstAt }) => Math.min(first, firstAt), Infinity);
  // The first run of a rule evaluates one window; later runs evaluate all since the last.
  const firstEndAt = [...evaluated].reduce(
    (a, b) => Math.min(a, b),
    gaps[0] ? windowDueAt(gaps[0].at).endAt : 0,
  );
  const missing = new Map<number, Window>();
  for (const { at } of gaps) {
    const isKnown = ({ endAt }: Window) => missing.has(endAt) || (at > beganAt && evaluated.has(endAt));
    for (
      let window = windowDueAt(at);
      window.endAt >= firstEndAt && !isKnown(window);
      window = windowBefore(window, calendar)
    )
      missing.set(window.endAt, window);
  }
  return [...missing.values()];
}

function evaluatedMs(series: SeriesLog[], missing: Window[], span: Window): number {
  const from = earliest(series.flatMap(({ comparedFromAt }) => comparedFromAt ?? []));
  if (from === null) return 0;
  const lost = missing.reduce((sum, { startAt, endAt }) => sum + (startAt >= from ? endAt - startAt : 0), 0);
  return span.endAt - Math.max(span.startAt, from) - lost;
}

function earliest(times: number[]): number | null {
  return times.length > 0 ? times.reduce((a, b) => Math.min(a, b)) : null;
}
