import type { Metric } from './metrics.ts';
import type { Reading, ReadingRow, SeriesKey, Sheet } from './reading.ts';
import type { Window } from './window.ts';

type Period = 'current' | 'previous';

/** What the sheets of one family say, by window, event name and segment. */
export class History {
  readonly #byWindow = new Map<number, IndexedSheet[]>();

  constructor(sheets: Sheet[]) {
    for (const sheet of sheets) this.add(sheet);
  }

  add(sheet: Sheet): void {
    const same = this.#byWindow.get(sheet.window.endAt) ?? [];
    same.push(indexed(sheet));
    this.#byWindow.set(sheet.window.endAt, same);
  }

  /** Whether a kept sheet of `window` answers for the series' event name and all of `keys`. */
  covers(window: Window, eventName: string | undefined, keys: string[]): boolean {
    return this.#sheets(window, eventName, keys).length > 0;
  }

  /**
   * The series' reading of `window` (or of the one before it, as that window's sheet has it). `undefined` where
   * nobody asked, or where the segment may be among those that were folded; a count that was asked for and has no row is zero, a mean without rows has no value.
   */
  reading(
    window: Window,
    series: SeriesKey,
    metric: Metric,
    period: Period = 'current',
  ): Reading | undefined {
    const keys = metric.kind === 'mean' ? [metric.key, metric.weight.key] : [metric.key];
    const [sheet] = this.#sheets(window, series.eventName, keys);
    if (!sheet) return undefined;
    const figures = sheet.rows.get(rowKey(series))?.[period];
    if (!figures && sheet.folded[period].has(series.eventName)) return undefined;
    if (metric.kind === 'count') return { value: figures?.[metric.key] ?? 0, weight: null };
    const weight = figures?.[metric.weight.key] ?? 0;
    return { value: weight > 0 ? (figures?.[metric.key] ?? null) : null, weight };
  }

  /** The segments that had a row in `window`. */
  segments(window: Window, eventName: string | undefined, metric: Metric): string[] {
    const [sheet] = this.#sheets(window, eventName, [metric.key]);
    return sheet
      ? [...sheet.rows.values()]
          .filter((row) => row.eventName === eventName)
          .flatMap((row) => row.segment ?? [])
      : [];
  }

  #sheets(window: Window, eventName: string | undefined, keys: string[]): IndexedSheet[] {
    return (this.#byWindow.get(window.endAt) ?? []).filter(
      (sheet) =>
        (eventName === undefined || sheet.eventNames.has(eventName)) &&
        keys.every((key) => sheet.keys.includes(key)),
    );
  }
}

interface IndexedSheet {
  eventNames: Set<string>;
  keys: string[];
  /** Event names of which not every segment has figures. */
  folded: Record<Period, Set<string | undefined>>;
  rows: Map<string, ReadingRow>;
}

function indexed(sheet: Sheet): IndexedSheet {
  return {
    eventNames: new Set(sheet.eventNames),
    keys: sheet.keys,
    folded: { current: foldedIn(sheet, 'current'), previous: foldedIn(sheet, 'previous') },
    rows: new Map(sheet.rows.filter(({ isRest }) => !isRest).map((row) => [rowKey(row), row])),
  };
}

function foldedIn(sheet: Sheet, period: Period): Set<string | undefined> {
  return new Set(sheet.rows.filter((row) => row.isRest && row[period]).map(({ eventName }) => eventName));
}

function rowKey({ eventName, segment }: SeriesKey): string {
  return JSON.stringify([eventName ?? null, segment ?? null]);
}
