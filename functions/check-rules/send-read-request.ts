import type { History } from '../../shared/readings/history.ts';
import type { CallBudget, MetricSource, RangeResult } from '../../shared/readings/metric-source.ts';
import type { ReadRequest } from '../../shared/readings/read-requests.ts';
import type { Question, ReadingRow, Snapshot } from '../../shared/readings/reading.ts';
import { questionFor, rangeQuestionFor, rowKeysOf } from '../../shared/readings/series.ts';
import type { ReadingStore } from '../../shared/readings/snapshots.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import type { CalendarWindows } from '../../shared/time/calendar-windows.ts';
import type { Window } from '../../shared/time/window.ts';

export interface GatherDeps {
  readings: ReadingStore;
  source: MetricSource;
  now: () => number;
  /** The scheduled time of the tick. */
  scheduledAt: number;
  /** No more needed readings are requested after this time, so that the run can end. */
  readUntilAt: number;
  /** Windows in the calendar of the family. */
  calendarWindows: CalendarWindows;
}

interface Reader extends GatherDeps {
  family: string;
  history: History;
}

/** Snapshots saved concurrently. */
const SAVES_AT_ONCE = 25;

/**
 * Sends the question of the request, for one window or a range, and stores a snapshot of each window that is wanted or
 * was never read. A range that is evaluated also reads the window before it, the baseline of its first window.
 */
export async function sendReadRequest(
  { windows, wanted }: ReadRequest,
  budget: CallBudget,
  reader: Reader,
): Promise<Exclude<RangeResult, { kind: 'read' }> | { kind: 'read' }> {
  const { source, history, calendarWindows } = reader;
  const rules = [...new Set(wanted.flatMap((each) => each.rules))];
  const [first] = windows;
  if (!first) return { kind: 'read' };
  if (windows.length === 1) {
    const result = await source.read(questionFor(rules, first), budget);
    const { beginsAt = -Infinity } = source;
    const isAlone = first.startAt <= beginsAt && { isAlone: true as const };
    if (result.kind === 'read')
      await keep([{ ...snapshotOf(first, result.value, rules, reader), ...isAlone }], reader);
    return result;
  }

  const { eventNames = [] } = questionFor(rules, first);
  const isKnown = (window: Window) => history.covers(window, eventNames, rowKeysOf(rules));
  const before = calendarWindows.before(first);
  const asked = budget === 'spare' || isKnown(before) ? windows : [before, ...windows];
  const result = await source.readRange(rangeQuestionFor(rules, asked), budget);
  if (result.kind !== 'read') return result;
  const isWanted = new Set(wanted.map(({ window }) => window.endAt));
  const snapshots = asked.flatMap((window, i): Snapshot[] => {
    if (isKnown(window) && !isWanted.has(window.endAt)) return [];
    return [{ ...snapshotOf(window, result.value[i] ?? [], rules, reader), isAlone: true }];
  });
  await keep(snapshots, reader);
  return { kind: 'read' };
}

function snapshotOf(window: Window, rows: ReadingRow[], rules: FigureRule[], reader: Reader): Snapshot {
  const { family, history, now, scheduledAt } = reader;
  const keys = rowKeysOf(rules);
  const { eventNames }: Pick<Question, 'eventNames'> = questionFor(rules, window);
  const wasRead = history.covers(window, eventNames ?? [], keys);
  return {
    family,
    window,
    readAt: now(),
    ...(wasRead && { rereadAt: scheduledAt }),
    ...(eventNames && { eventNames }),
    keys,
    rows,
  };
}

async function keep(snapshots: Snapshot[], { readings, history }: Reader): Promise<void> {
  for (let i = 0; i < snapshots.length; i += SAVES_AT_ONCE)
    await Promise.all(snapshots.slice(i, i + SAVES_AT_ONCE).map((snapshot) => readings.save(snapshot)));
  for (const snapshot of snapshots) history.add(snapshot);
}
