import type { CallBudget } from '../../shared/alerting/readings/call-budget.ts';
import type { History } from '../../shared/alerting/readings/history.ts';
import type { MetricSource, RangeResult } from '../../shared/alerting/readings/metric-source.ts';
import type { Errand } from '../../shared/alerting/readings/read-requests.ts';
import type { Question, ReadingRow, Sheet } from '../../shared/alerting/readings/reading.ts';
import type { ReadingStore } from '../../shared/alerting/readings/reading-store.ts';
import { questionFor, rangeQuestionFor, rowKeysOf } from '../../shared/alerting/readings/series.ts';
import type { Ends } from '../../shared/alerting/readings/snapshots.ts';
import type { FigureRule } from '../../shared/alerting/rules/rule.ts';
import type { Almanac } from '../../shared/alerting/time/calendar-windows.ts';
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
export async function readErrand(
  { windows, wanted }: Errand,
  budget: CallBudget,
  reader: Reader,
): Promise<Exclude<RangeResult, { kind: 'read' }> | { kind: 'read' }> {
  const { source, history, almanac } = reader;
  const rules = [...new Set(wanted.flatMap((each) => each.rules))];
  const [first] = windows;
  if (!first) return { kind: 'read' };
  if (windows.length === 1) {
    const result = await source.read(questionFor(rules, first), budget);
    if (result.kind === 'read') await keep([sheetOf(first, result.value, rules, reader)], reader);
    return result;
  }

  const { eventNames = [] } = questionFor(rules, first);
  const isKnown = (window: Window) => history.covers(window, eventNames, rowKeysOf(rules));
  const before = almanac.before(first);
  const asked = budget === 'spare' || isKnown(before) ? windows : [before, ...windows];
  const result = await source.readRange(rangeQuestionFor(rules, asked), budget);
  if (result.kind !== 'read') return result;
  const isWanted = new Set(wanted.map(({ window }) => window.endAt));
  const sheets = asked.flatMap((window, i): Sheet[] => {
    if (isKnown(window) && !isWanted.has(window.endAt)) return [];
    return [{ ...sheetOf(window, result.value[i] ?? [], rules, reader), isAlone: true }];
  });
  await keep(sheets, reader);
  return { kind: 'read' };
}

function sheetOf(window: Window, rows: ReadingRow[], rules: FigureRule[], reader: Reader): Sheet {
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

async function keep(sheets: Sheet[], { readings, history }: Reader): Promise<void> {
  for (let i = 0; i < sheets.length; i += SAVES_AT_ONCE)
    await Promise.all(sheets.slice(i, i + SAVES_AT_ONCE).map((sheet) => readings.save(sheet)));
  for (const sheet of sheets) history.add(sheet);
}

/** Readings that stay laid out from run to run, where runs share a process. */
export interface LivingReadings extends Pick<ReadingStore, 'save'> {
  /** What earlier runs kept of a family: its sheets of windows that end in one of `ranges`. */
  loadHistory: (family: string, ranges: Ends[]) => Promise<History>;
}

export interface GatherDeps {
  readings: ReadingStore | LivingReadings;
  source: MetricSource;
  now: () => number;
  /** The scheduled time of the tick. */
  scheduledAt: number;
  /** From when on nothing more is asked that a judgement needs, so that the run comes to its end. */
  readUntilAt: number;
  /** Of the family's calendar. */
  almanac: Almanac;
}
