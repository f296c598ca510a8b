import { evaluationsOf } from '../../functions/check-rules/evaluate-series.ts';
import type { Alert } from '../../shared/alerts/alert.ts';
import { memoryAt } from '../../shared/alerts/lifecycle.ts';
import { OTHERS } from '../../shared/contract/grouping.ts';
import { type Memory, NO_MEMORY } from '../../shared/evaluation/baseline.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { wantedRanges } from '../../shared/planning/wanted-readings.ts';
import { History } from '../../shared/readings/history.ts';
import type { Snapshot } from '../../shared/readings/reading.ts';
import type { ReadingStore } from '../../shared/readings/reading-store.ts';
import { seriesKeyOf, seriesOf } from '../../shared/readings/series.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { CalendarWindows } from '../../shared/time/calendar-windows.ts';
import type { Window } from '../../shared/time/window.ts';

/** The stored history of one rule, as far as one window needs it. */
export interface SeriesPast {
  rule: FigureRule;
  window: Window;
  /** The state of each series before it evaluated the window. */
  memories: Map<string | null, Memory>;
  /** The named segments; all others form the rest. */
  watched: Set<string>;
  calendarWindows: CalendarWindows;
  snapshots: Snapshot[];
}

/**
 * Loads the readings that `window` was evaluated from, for all series of the rule, because they are evaluated
 * together.
 */
export async function loadPast(
  rule: FigureRule,
  window: Window,
  alerts: Alert[],
  readings: Pick<ReadingStore, 'load'>,
): Promise<SeriesPast> {
  const { family, calendar, eventNames } = seriesOf(rule);
  const calendarWindows = new CalendarWindows(calendar);
  const memories = new Map(alerts.map((alert) => [alert.segment, memoryAt(alert, window)]));
  const need = { rule, windows: [window], memories: [NO_MEMORY, ...memories.values()], again: [] };
  const names = eventNames.length > 0 ? eventNames : undefined;
  const snapshots = await Promise.all(
    wantedRanges([need], calendarWindows).map((range) => readings.load(family, range, names)),
  );
  const watched = new Set(alerts.flatMap(({ segment }) => (segment === OTHERS ? [] : (segment ?? []))));
  return { rule, window, memories, watched, calendarWindows, snapshots: snapshots.flat() };
}

/**
 * Evaluates the window of one series with the current code, from its stored snapshots. `newestDataAt` is the
 * time up to which the app has data.
 */
export function evaluatedFrom(
  past: SeriesPast,
  segment: string | null,
  newestDataAt: number,
): Evaluation | undefined {
  const { rule, window, memories, watched, calendarWindows } = past;
  const task = { rule, calendarWindows, history: new History(past.snapshots), newestDataAt };
  return evaluationsOf(window, memories, watched, task).get(segment);
}

export function seriesIn({ rule, watched }: SeriesPast, segment: string | null) {
  return seriesKeyOf(rule, segment, watched);
}
