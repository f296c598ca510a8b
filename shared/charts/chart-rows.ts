import type { Note } from '../alerts/note.ts';
import { overlapsAny } from '../evaluation/baseline.ts';
import type { Chart, ChartPoint } from '../messages/chart.ts';
import type { Window } from '../time/window.ts';

/** Up to this many points, each is drawn as a dot. */
const FEW = 20;

/** The windows in order. `top`: the highest value of the axis; a limit of the rule above it is not drawn. */
export function pointRows({ points, isModelled }: Chart, top: number) {
  const isKnown = (point: ChartPoint | undefined) => point !== undefined && point.value !== null;
  return points.map((point, i) => {
    const { window, value, band } = point;
    const isLone = isKnown(point) && !isKnown(points[i - 1]) && !isKnown(points[i + 1]);
    return {
      at: window.startAt,
      value: value ?? 0,
      expected: band?.expected ?? 0,
      low: band?.low ?? -Number.MAX_VALUE,
      high: band?.high ?? Number.MAX_VALUE,
      hasValue: value !== null,
      hasExpected: typeof band?.expected === 'number',
      hasRange: isModelled && band !== null,
      hasLow: !isModelled && typeof band?.low === 'number',
      hasHigh: !isModelled && typeof band?.high === 'number' && band.high <= top,
      isLone: isLone || (isKnown(point) && points.length <= FEW),
    };
  });
}

/** Consecutive windows that breached or fired, each span from the start of its first to that of its last. */
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

/**
 * The notes within the windows of the chart, with their numbers in the list. A window is drawn as a point at its start, so
 * a note is drawn between this point and the one before: only values after the line can be due to what happened.
 */
export function drawnNotes({ points, notes = [] }: Chart): { note: Note; number: number; drawnAt: number }[] {
  return notes.flatMap((note, i) => {
    const own = points.findIndex(({ window }) => window.startAt <= note.at && note.at < window.endAt);
    const startAt = points[own]?.window.startAt;
    if (startAt === undefined) return [];
    const before = points[own - 1]?.window.startAt ?? startAt;
    return [{ note, number: i + 1, drawnAt: (before + startAt) / 2 }];
  });
}

/** The marks of notes: "2", or "2–4" for notes that are closer than `apart`. */
export function noteRows(chart: Chart, apart: number): { at: number; text: string }[] {
  const groups: { at: number; first: number; last: number }[] = [];
  for (const { drawnAt: at, number } of drawnNotes(chart)) {
    const open = groups.at(-1);
    if (open && at - open.at < apart) open.last = number;
    else groups.push({ at, first: number, last: number });
  }
  return groups.map(({ at, first, last }) => ({
    at,
    text: first === last ? `${first}` : `${first}–${last}`,
  }));
}

/** From this many points on, the marks of breaches are small: those of consecutive hours would cover one another. */
const MANY = 100;

/** The breached points, with the size of their marks. */
export function breachRows({ points, breached }: Chart): { at: number; value: number; size: number }[] {
  const size = points.length > MANY ? 40 : 90;
  const ends = new Set(breached.map(({ endAt }) => endAt));
  return points.flatMap(({ window, value }) =>
    value !== null && ends.has(window.endAt) ? [{ at: window.startAt, value, size }] : [],
  );
}
