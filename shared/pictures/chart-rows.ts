import { overlapsAny } from '../alerting/evaluation/baseline.ts';
import type { Chart, ChartPoint } from '../alerting/messages/chart.ts';
import type { Window } from '../alerting/time/window.ts';

/** One window as the drawing reads it. What is not known is 0, and not drawn. */
export interface PointRow {
  at: number;
  value: number;
  expected: number;
  low: number;
  high: number;
  hasValue: boolean;
  hasBand: boolean;
  isLone: boolean;
}

/** So few points are shown each by itself. */
const FEW = 20;

/** The windows in order; bands cut to the values that are drawn, and open ones go on to the edge. */
export function pointRows({ points }: Chart, [least, most]: [number, number]): PointRow[] {
  const isKnown = (point: ChartPoint | undefined) => point !== undefined && point.value !== null;
  const cut = (value: number) => Math.min(Math.max(value, least), most);
  return points.map((point, i) => {
    const { window, value, band } = point;
    const isLone = isKnown(point) && !isKnown(points[i - 1]) && !isKnown(points[i + 1]);
    return {
      at: window.startAt,
      value: value ?? 0,
      expected: cut(band?.expected ?? 0),
      low: cut(band?.low ?? least),
      high: cut(band?.high ?? most),
      hasValue: value !== null,
      hasBand: band !== null,
      isLone: isLone || (isKnown(point) && points.length <= FEW),
    };
  });
}

/** Windows in a row that breached or in which the alert fired: from the start of the first to that of the last. */
export function troubledSpans({ points, breached, incidents }: Chart): Window[] {
  const spans: (Window & { closedAt: number })[] = [];
  for (const { window } of points) {
    if (!overlapsAny(window, [...breached, ...incidents])) continue;
    const open = spans.at(-1);
    const { startAt, endAt: closedAt } = window;
    if (open?.closedAt === startAt) Object.assign(open, { endAt: startAt, closedAt });
    else spans.push({ startAt, endAt: startAt, closedAt });
  }
  return spans;
}

/** What people know of, cut to the times that are drawn. */
export function labelledSpans({ labelled = [] }: Chart, [from, to]: [number, number]): Window[] {
  return labelled
    .map(({ startAt, endAt }) => ({ startAt: Math.max(startAt, from), endAt: Math.min(endAt, to) }))
    .filter(({ startAt, endAt }) => startAt < endAt);
}

/** The breached points that can be told from one another: the last, and those before it that are `apart` from it. */
export function shownBreaches({ points, breached }: Chart, apart: number): { at: number; value: number }[] {
  const ends = new Set(breached.map(({ endAt }) => endAt));
  const shown: { at: number; value: number }[] = [];
  for (const { window, value } of points.toReversed()) {
    const next = shown.at(-1);
    if (value === null || !ends.has(window.endAt)) continue;
    if (!next || next.at - window.startAt >= apart) shown.push({ at: window.startAt, value });
  }
  return shown;
}
