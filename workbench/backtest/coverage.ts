import type { Rule } from '../../shared/alerting/rules/rule.ts';
import { lastClosedWindow, type Window, windowBefore } from '../../shared/alerting/time/window.ts';
import type { ReplayedGap } from '../replay/replayed.ts';
import type { SeriesLog } from './fires.ts';

/** Of how much of the past it is known what a rule would have said. */
export interface Coverage {
  /** Windows that were due and that no run judged, of whatever series. */
  unjudged: number;
  /** Of all that was due, the share of which could not be said whether it breached. */
  unknownShare: number;
  /** From the first window that there was something to hold against, without those that no run judged; 0 without one. */
  evaluatedMs: number;
}

interface Looked {
  series: SeriesLog[];
  /** Runs that could not judge the rule, in order. */
  gaps: ReplayedGap[];
  span: Window;
}

export function coverageOf(rule: Rule, { series, gaps, span }: Looked): Coverage {
  const evaluated = new Set(series.flatMap((each) => each.windowEnds()));
  const missing = unjudgedWindows(rule, { series, gaps, evaluated });
  const counts = series.map((each) => each.counts());
  const known = counts.reduce((sum, { breached, clear }) => sum + breached + clear, 0);
  const all = counts.flatMap((each) => Object.values(each)).reduce((sum, each) => sum + each, 0);
  const due = new Set([...evaluated, ...missing.map(({ endAt }) => endAt)]).size;
  return {
    unjudged: missing.length,
    // A window that was not judged was not judged of any segment, however many there are.
    unknownShare: known === 0 ? 1 : 1 - (known / all) * (1 - missing.length / due),
    evaluatedMs: evaluatedMs(series, missing, span),
  };
}

/**
 * What was due at runs that could not judge, and that no later run judged either. What was due before the first run that
 * could counts as well: then data begin there, and what is caught up of the time before them is nothing held against nothing.
 */
function unjudgedWindows(
  rule: Rule,
  { series, gaps, evaluated }: Pick<Looked, 'series' | 'gaps'> & { evaluated: ReadonlySet<number> },
): Window[] {
  const calendar = { grain: rule.window, zone: rule.zone };
  const lookedAt = (at: number) => lastClosedWindow(at - rule.settle * 60_000, calendar);
  const beganAt = series.reduce((first, { firstAt }) => Math.min(first, firstAt), Infinity);
  // At its first run a rule looks at one window; later at all that came since.
  const firstEndAt = [...evaluated].reduce(
    (a, b) => Math.min(a, b),
    gaps[0] ? lookedAt(gaps[0].at).endAt : 0,
  );
  const missing = new Map<number, Window>();
  for (const { at } of gaps) {
    const isKnown = ({ endAt }: Window) => missing.has(endAt) || (at > beganAt && evaluated.has(endAt));
    for (
      let window = lookedAt(at);
      window.endAt >= firstEndAt && !isKnown(window);
      window = windowBefore(window, calendar)
    )
      missing.set(window.endAt, window);
  }
  return [...missing.values()];
}

function evaluatedMs(series: SeriesLog[], missing: Window[], span: Window): number {
  const known = series.flatMap(({ comparedFromAt }) => comparedFromAt ?? []);
  if (known.length === 0) return 0;
  const from = known.reduce((a, b) => Math.min(a, b));
  const lost = missing.reduce((sum, { startAt, endAt }) => sum + (startAt >= from ? endAt - startAt : 0), 0);
  return span.endAt - Math.max(span.startAt, from) - lost;
}
