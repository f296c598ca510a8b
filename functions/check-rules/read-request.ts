import type { CallBudget } from '../../shared/alerting/readings/call-budget.ts';
import type { History } from '../../shared/alerting/readings/history.ts';
import type { MetricSource, RangeResult } from '../../shared/alerting/readings/metric-source.ts';
import type { ReadRequest } from '../../shared/alerting/readings/read-requests.ts';
import type { Question, ReadingRow, Snapshot } from '../../shared/alerting/readings/reading.ts';
import type { ReadingStore } from '../../shared/alerting/readings/reading-store.ts';
import { questionFor, rangeQuestionFor, rowKeysOf } from '../../shared/alerting/readings/series.ts';
import type { Ends } from '../../shared/alerting/readings/snapshots.ts';
import type { FigureRule } from '../../shared/alerting/rules/rule.ts';
import type { CalendarWindows } from '../../shared/alerting/time/calendar-windows.ts';
import type { Window } from '../../shared/alerting/time/window.ts';

interface Reader extends GatherDeps {
  family: string;
  history: History;
}

/** Sheets saved at once. */
const SAVES_AT_ONCE = 25;

/**
 * Asks the errand's question, one window or a range, and keeps a sheet of each window that is wanted or was never read.
 * Where the range is to be judged, the window before it is read along, which its first is compared with.
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
    if (result.kind === 'read') await keep([snapshotOf(first, result.value, rules, reader)], reader);
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

/** Readings that stay laid out from run to run, where runs share a process. */
export interface CurrentReadings extends Pick<ReadingStore, 'save'> {
  /** What earlier runs kept of a family: its sheets of windows that end in one of `ranges`. */
  loadHistory: (family: string, ranges: Ends[]) => Promise<History>;
}

export interface GatherDeps {
  readings: ReadingStore | CurrentReadings;
  source: MetricSource;
  now: () => number;
  /** The scheduled time of the tick. */
  scheduledAt: number;
  /** From when on nothing more is asked that a judgement needs, so that the run comes to its end. */
  readUntilAt: number;
  /** Of the family's calendar. */
  calendarWindows: CalendarWindows;
}
