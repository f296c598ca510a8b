import type { Window } from '../../shared/time/window.ts';
import { DAY_MS, WEEK_MS } from '../../shared/units/durations.ts';
import { holidaysBetween } from '../calibration/holidays.ts';

/** How far back the baselines of these rules reach. */
const WEEKS_BACK = 4;

/** An alert on a real log. All times here are local times, expressed as UTC. */
export interface LoggedAlert {
  /** `evaluate`, `backtest`, or a rule of the backtest. */
  by: string;
  /** The window that it fired for. */
  window: Window;
  transition: string;
  baseline: number | null;
  current: number | null;
}

/** The span of a known event. Without a direction, rises and falls are both right. */
export interface KnownSpan extends Window {
  what: string;
  direction?: 'rise' | 'fall';
}

/** The known events of a log. */
export interface Knowledge {
  spans: KnownSpan[];
  /** Whether the labels cover all events, so that every alert outside them is wrong. */
  isComplete: boolean;
}

/** The part of a log that the rules were evaluated on, without any data before it. */
export interface LogCut extends Window {
  rows: readonly { at: number; value: number }[];
}

export interface Finding extends LoggedAlert {
  verdict: 'right' | 'wrong' | 'unlabelled';
  why: string;
}

/**
 * Decides whether an alert is right. The first match decides: wrong if its window or its zero baseline is before the
 * start of the cut; right in a known span or around a public holiday of the United States, the origin of all these logs;
 * wrong a week after one of these, because its baseline was unusual; wrong if the labels are complete; else `unlabelled`.
 */
export function findingOf(alert: LoggedAlert, { spans, isComplete }: Knowledge, cut: LogCut): Finding {
  const { window } = alert;
  const finding = (verdict: Finding['verdict'], why: string): Finding => ({ ...alert, verdict, why });
  if (window.startAt < cut.startAt || (alert.baseline === 0 && !wasZero(window, cut)))
    return finding('wrong', 'before the start');
  const known = knownAt(window, directionOf(alert), spans);
  if (known) return finding('right', known);
  const before = { startAt: window.startAt - WEEK_MS, endAt: window.endAt - WEEK_MS };
  const echoed = knownAt(before, oppositeOf(alert), spans);
  if (echoed) return finding('wrong', `echo: ${echoed}`);
  return isComplete ? finding('wrong', 'no label') : finding('unlabelled', '');
}

type Direction = KnownSpan['direction'];

function knownAt(window: Window, direction: Direction, spans: KnownSpan[]): string | undefined {
  const span = spans.find((each) => overlaps(each, window) && (each.direction ?? direction) === direction);
  if (span) return span.what;
  if (direction === undefined) return undefined;
  const holidays = holidaysBetween(window.startAt - DAY_MS, window.endAt + DAY_MS);
  return holidays.some((each) => overlaps(each, window)) ? 'holiday' : undefined;
}

/** Whether the same window of an earlier week is in the cut and has no rows other than zeros. */
function wasZero({ startAt, endAt }: Window, cut: LogCut): boolean {
  return Array.from({ length: WEEKS_BACK }, (_, i) => (i + 1) * WEEK_MS).some((back) => {
    if (startAt - back < cut.startAt) return false;
    const within = cut.rows.filter(({ at }) => startAt - back <= at && at < endAt - back);
    return within.every(({ value }) => value === 0);
  });
}

function directionOf({ transition, baseline, current }: LoggedAlert): Direction {
  if (transition === 'stopped' || transition === 'no-data') return 'fall';
  if (baseline === null || current === null) return undefined;
  return current > baseline ? 'rise' : 'fall';
}

/** `undefined` if the alert compared no values. */
function oppositeOf(alert: LoggedAlert): Direction {
  if (alert.current === null) return undefined;
  return directionOf(alert) === 'rise' ? 'fall' : 'rise';
}

function overlaps(a: Window, b: Window): boolean {
  return a.startAt < b.endAt && b.startAt < a.endAt;
}
