import type { Window } from '../../shared/alerting/time/window.ts';
import { holidaysBetween } from '../calibration/holidays.ts';

const DAY = 86_400_000;
const WEEK = 7 * DAY;
/** As far as the baselines of these rules look back. */
const WEEKS_BACK = 4;

/** An alert on a real log. Times are local ones, written as if they were UTC, as are those of all that is known. */
export interface LoggedAlert {
  /** `evaluate`, `backtest`, or a rule of the backtest. */
  by: string;
  /** What it fired on. */
  window: Window;
  transition: string;
  baseline: number | null;
  current: number | null;
}

/** A span in which something is known to have happened; without a direction a rise and a fall are both right. */
export interface KnownSpan extends Window {
  what: string;
  direction?: 'rise' | 'fall';
}

/** What is known of a log. */
export interface Knowledge {
  spans: KnownSpan[];
  /** Whether the labels name everything, so that what lies outside is wrong. */
  isComplete: boolean;
}

/** The part of a log that the rules were given; nothing was before it. */
export interface LogCut extends Window {
  rows: readonly { at: number; value: number }[];
}

export interface Finding extends LoggedAlert {
  verdict: 'right' | 'wrong' | 'unlabelled';
  why: string;
}

/**
 * Wrong where a zero is the baseline that was never recorded. Right in a known span, and around a public holiday of the
 * United States, where all of these logs are from. Wrong again a week after one of these, as the day it is compared with
 * was the odd one, and outside where the labels are complete. `unlabelled` elsewhere.
 */
export function findingOf(alert: LoggedAlert, { spans, isComplete }: Knowledge, cut: LogCut): Finding {
  const { window } = alert;
  const evaluated = (verdict: Finding['verdict'], why: string): Finding => ({ ...alert, verdict, why });
  if (window.startAt < cut.startAt || (alert.baseline === 0 && !wasZero(window, cut)))
    return evaluated('wrong', 'before the start');
  const known = knownAt(window, directionOf(alert), spans);
  if (known) return evaluated('right', known);
  const before = { startAt: window.startAt - WEEK, endAt: window.endAt - WEEK };
  const echoed = knownAt(before, oppositeOf(alert), spans);
  if (echoed) return evaluated('wrong', `echo: ${echoed}`);
  return isComplete ? evaluated('wrong', 'no label') : evaluated('unlabelled', '');
}

type Direction = KnownSpan['direction'];

function knownAt(window: Window, direction: Direction, spans: KnownSpan[]): string | undefined {
  const span = spans.find((each) => overlaps(each, window) && (each.direction ?? direction) === direction);
  if (span) return span.what;
  if (direction === undefined) return undefined;
  const holidays = holidaysBetween(window.startAt - DAY, window.endAt + DAY);
  return holidays.some((each) => overlaps(each, window)) ? 'holiday' : undefined;
}

/** Whether one of the weeks before has a window of this place in which nothing was recorded. */
function wasZero({ startAt, endAt }: Window, cut: LogCut): boolean {
  return Array.from({ length: WEEKS_BACK }, (_, i) => (i + 1) * WEEK).some((back) => {
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

/** `undefined` where nothing was compared. */
function oppositeOf(alert: LoggedAlert): Direction {
  if (alert.current === null) return undefined;
  return directionOf(alert) === 'rise' ? 'fall' : 'rise';
}

function overlaps(a: Window, b: Window): boolean {
  return a.startAt < b.endAt && b.startAt < a.endAt;
}
