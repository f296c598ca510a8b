import type { Evaluation } from '../evaluation/evaluation.ts';
import type { Alert, LastWindow } from './alert.ts';

/** A day of hours, or three and a half weeks of days. A normal alert still fits into one write unit. */
const SHOWN = 24;
const DIGITS = 5;

/** `windows` with the evaluated window as the newest. */
export function withNewest(windows: LastWindow[], evaluation: Evaluation): LastWindow[] {
  return [...windows, lastWindowOf(evaluation)].slice(-SHOWN);
}

/** `windows` with the new value and verdict of a window that was read again; the same array if nothing differs. */
export function withReread(windows: LastWindow[], evaluation: Evaluation): LastWindow[] {
  const reread = lastWindowOf(evaluation);
  const isNews = windows.some((each) => each.endAt === reread.endAt && !isSame([each], [reread]));
  return isNews ? windows.map((each) => (each.endAt === reread.endAt ? reread : each)) : windows;
}

function lastWindowOf({ current: { window, value }, verdict }: Evaluation): LastWindow {
  return { endAt: window.endAt, value: value === null ? null : Number(value.toPrecision(DIGITS)), verdict };
}

/** The alert of a whole rule with the windows of its largest segment; the same alert if it already has them. */
export function withLargest(whole: Alert, segments: Alert[]): Alert {
  const largest = largestOf(segments);
  if (!largest) return whole;
  const { segment, lastWindows } = largest;
  const isShown = whole.largestSegment === segment && isSame(whole.lastWindows, lastWindows);
  return isShown ? whole : { ...whole, largestSegment: segment, lastWindows };
}

function isSame(some: LastWindow[], others: LastWindow[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}

/** The segment with the largest last value; of means, with the largest weight. */
function largestOf(
  alerts: Alert[],
): { segment: string; size: number; lastWindows: LastWindow[] } | undefined {
  const valued = alerts.flatMap(({ segment, last, lastWindows }) => {
    const { value, weight } = last?.current ?? { value: null, weight: null };
    return segment === null || value === null ? [] : [{ segment, size: weight ?? value, lastWindows }];
  });
  return valued.toSorted((a, b) => b.size - a.size || (a.segment < b.segment ? -1 : 1))[0];
}
