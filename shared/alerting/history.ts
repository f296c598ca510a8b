import {
  type IndexedSheet,
  indexed,
  isAlive,
  type Period,
  restReading,
  rowKey,
  smallestKept,
} from './indexed-sheet.ts';
import { METRICS, type Metric } from './metrics.ts';
import type { Reading, SeriesKey, Sheet } from './reading.ts';
import type { Window } from './window.ts';

/** A number: the window's own figures, as they were so many readings ago. */
type Asked = Period | number;

/** How long the first run about a series may have gone on reading: a run that takes longer is ended. */
const FIRST_RUN_MS = 5 * 60_000;

/** Keys of means, by which no answer is ranked. */
const MEANS = new Set<string>(
  Object.values(METRICS).flatMap((metric: Metric) => (metric.kind === 'mean' ? [metric.key] : [])),
);

/** What a judge asks of the past. */
export type Readings = Pick<History, 'reading'> & Partial<Pick<History, 'atMost'>>;

/** What the sheets of one family say, by window, event name and segment. */
export class History {
  /** By the end of their window, the newest first. */
  readonly #byWindow = new Map<number, IndexedSheet[]>();
  /** By event and keys, what there is to tell of; worked out when it is asked for. */
  readonly #pasts = new Map<string, Past>();
  /** When each series was born, by what was asked of it. */
  readonly #births = new Map<string, Birth>();
  /** By series, as objects: whoever judges a window asks for one of them hundreds of times. */
  #lines = new WeakMap<SeriesKey, Map<string, Line>>();

  constructor(sheets: Sheet[]) {
    for (const sheet of sheets) this.add(sheet);
  }

  add(sheet: Sheet): void {
    const same = this.#byWindow.get(sheet.window.endAt) ?? [];
    same.push(indexed(sheet));
    this.#byWindow.set(
      sheet.window.endAt,
      same.sort((a, b) => b.readAt - a.readAt),
    );
    this.#pasts.clear();
    this.#births.clear();
    this.#lines = new WeakMap();
  }

  /** Whether kept sheets of `window` answer all of `keys` for each of these events; for everything if none is named. */
  covers(window: Window, eventNames: string[], keys: string[]): boolean {
    const asked = eventNames.length > 0 ? eventNames : [undefined];
    return asked.every((eventName) => this.#sheets(window.endAt, eventName, keys).length > 0);
  }

  /** When `window` was read last by sheets that cover the same; `undefined` where none does. */
  readAt(window: Window, eventNames: string[], keys: string[]): number | undefined {
    const asked = eventNames.length > 0 ? eventNames : [undefined];
    const times = asked.map((eventName) => this.#sheets(window.endAt, eventName, keys)[0]?.readAt);
    return times.reduce((a, b) => (a === undefined || b === undefined ? undefined : Math.min(a, b)));
  }

  /** Rows of the sheet that has most; 0 where there is none. */
  mostRows(): number {
    const sheets = [...this.#byWindow.values()].flat();
    return sheets.reduce((most, { rows }) => Math.max(most, rows.size), 0);
  }

  /**
   * The series' reading of `window` (or of the one before it, as that window's sheet has it) by the newest sheet.
   * `undefined` where nobody asked, before the series was born, or where the segment may be among those that were
   * folded; a count that was asked for and has no row is zero, a mean without rows and a ratio to nothing have no value.
   */
  reading(window: Window, series: SeriesKey, metric: Metric, asked: Asked = 'current'): Reading | undefined {
    if (metric.kind === 'ratio') return this.#ratio(window, series, metric.counted, asked);
    const line = this.#lineOf(series, metric);
    const { sheet, period } = this.#telling(window, asked, series, line);
    if (!sheet) return undefined;
    if (series.outside) return restReading(sheet, { ...series, outside: series.outside }, metric, period);
    const figures = sheet.rows.get(line.row)?.[period];
    if (!figures && sheet.folded[period].has(series.eventName)) return undefined;
    if (metric.kind === 'count') return { value: figures?.[metric.key] ?? 0, weight: null };
    const weight = figures?.[metric.weight.key] ?? 0;
    return { value: weight > 0 ? (figures?.[metric.key] ?? null) : null, weight };
  }

  /** The other readings of `window`, the first one first, where it was read more than once. */
  earlier(window: Window, series: SeriesKey, metric: Metric): Reading[] {
    const times = this.#sheets(window.endAt, series.eventName, [metric.key]).length;
    if (times < 2) return [];
    const agos = Array.from({ length: times - 1 }, (_, i) => times - 1 - i);
    return agos.flatMap((ago) => this.reading(window, series, metric, ago) ?? []);
  }

  /**
   * The most that a segment can have had in `window` which is folded into the rest: as much as the smallest that is
   * not. `undefined` where figures are not what the answer was ranked by, or where it was ranked by many windows.
   */
  atMost(window: Window, series: SeriesKey, metric: Metric): number | undefined {
    if (metric.kind !== 'count' || series.segment === undefined) return undefined;
    const [sheet] = this.#sheets(window.endAt, series.eventName, [metric.key]);
    const ranking = sheet?.keys.filter((key) => !MEANS.has(key)).toSorted()[0];
    if (!sheet?.folded.current.has(series.eventName) || sheet.isAlone || ranking !== metric.key)
      return undefined;
    return smallestKept(sheet, series.eventName, metric.key);
  }

  /** How large each segment is that had figures in `window`: what was counted, or the weight of a mean. */
  segments(window: Window, eventName: string | undefined, metric: Metric): Map<string, number> {
    const [sheet] = this.#sheets(window.endAt, eventName, [metric.key]);
    const rows = [...(sheet?.rows.values() ?? [])].filter((row) => row.eventName === eventName);
    const key = metric.kind === 'mean' ? metric.weight.key : metric.key;
    return new Map(
      rows.flatMap(({ segment, current, previous }) => {
        const size = Math.max(current?.[key] ?? 0, previous?.[key] ?? 0);
        return segment === undefined || size === 0 ? [] : [[segment, size]];
      }),
    );
  }

  /** Whether some segments of `window` were folded into one row, as there were more than were asked for. */
  isFolded(window: Window, eventName: string | undefined, metric: Metric): boolean {
    const [sheet] = this.#sheets(window.endAt, eventName, [metric.key]);
    return sheet?.rest.has(eventName) ?? false;
  }

  #ratio(window: Window, series: SeriesKey, counted: Metric, asked: Asked): Reading | undefined {
    const parts = partsOf(series);
    if (!parts) return undefined;
    const of = this.reading(window, parts.of, counted, asked)?.value;
    const to = this.reading(window, parts.to, counted, asked)?.value;
    if (of == null || to == null) return undefined;
    return { value: to > 0 ? of / to : null, weight: to };
  }

  /** The sheet that tells of what is asked, and by which figures: one that stands alone leaves it to the one before. */
  #telling(window: Window, asked: Asked, { eventName }: SeriesKey, { keys, birth }: Line) {
    const sheets = isUnborn(window, asked, birth) ? NONE : this.#sheets(window.endAt, eventName, keys);
    const sheet = sheets[typeof asked === 'number' ? asked : 0];
    if (asked !== 'previous') return { sheet, period: 'current' as const };
    if (!sheet?.isAlone) return { sheet, period: 'previous' as const };
    return { sheet: this.#sheets(window.startAt, eventName, keys)[0], period: 'current' as const };
  }

  #lineOf(series: SeriesKey, metric: Exclude<Metric, { kind: 'ratio' }>): Line {
    const lines = this.#lines.get(series) ?? new Map<string, Line>();
    const known = lines.get(metric.key);
    if (known) return known;
    const keys = metric.kind === 'mean' ? [metric.key, metric.weight.key] : [metric.key];
    const row = rowKey(series);
    const asked = `${row} ${series.outside !== undefined} ${keys}`;
    const birth = this.#births.get(asked) ?? this.#birthOf(series, keys);
    this.#births.set(asked, birth);
    const line = { row, keys, birth };
    this.#lines.set(series, lines.set(metric.key, line));
    return line;
  }

  #birthOf(series: SeriesKey, keys: string[]): Birth {
    const { told, lookedAtEndAt } = this.#pastOf(series.eventName, keys);
    for (const { endAt, sheets } of told) {
      const alive = sheets.flatMap((sheet) => [
        ...(isAlive(sheet, series, keys, 'current') ? [endAt] : []),
        // A compared answer tells of the window before its own, which ends where its own begins.
        ...(isAlive(sheet, series, keys, 'previous') ? [sheet.startAt] : []),
      ]);
      if (alive.length > 0) return { firstEndAt: Math.min(...alive), lookedAtEndAt };
    }
    return { firstEndAt: -Infinity, lookedAtEndAt };
  }

  /** What the first run about an event read is its past, up to the newest window, which it looked at. */
  #pastOf(eventName: string | undefined, keys: string[]): Past {
    const asked = JSON.stringify([eventName ?? null, keys]);
    const known = this.#pasts.get(asked);
    if (known) return known;
    const told = [...this.#byWindow.keys()]
      .sort((a, b) => a - b)
      .map((endAt) => ({ endAt, sheets: this.#sheets(endAt, eventName, keys) }));
    let firstReadAt = Infinity;
    for (const { sheets } of told)
      for (const { readAt } of sheets) firstReadAt = Math.min(firstReadAt, readAt);
    const isOfFirstRun = ({ readAt }: IndexedSheet) => readAt < firstReadAt + FIRST_RUN_MS;
    const newest = told.findLast(({ sheets }) => sheets.some(isOfFirstRun));
    const past = { told, lookedAtEndAt: newest?.endAt ?? -Infinity };
    this.#pasts.set(asked, past);
    return past;
  }

  /** The newest first. */
  #sheets(endAt: number, eventName: string | undefined, keys: string[]): readonly IndexedSheet[] {
    const all = this.#byWindow.get(endAt) ?? NONE;
    // Most windows are read once, and by a sheet that has all: nothing is copied for those.
    return all.every((sheet) => tells(sheet, eventName, keys))
      ? all
      : all.filter((sheet) => tells(sheet, eventName, keys));
  }
}

const NONE: readonly IndexedSheet[] = [];

const PARTS = new WeakMap<SeriesKey, { of: SeriesKey; to: SeriesKey }>();

/** The two series of a ratio, the same objects each time; `undefined` where it is none. */
function partsOf(series: SeriesKey): { of: SeriesKey; to: SeriesKey } | undefined {
  const { per, ...of } = series;
  if (per === undefined) return undefined;
  const parts = PARTS.get(series) ?? { of, to: { ...of, eventName: per } };
  PARTS.set(series, parts);
  return parts;
}

function tells(sheet: IndexedSheet, eventName: string | undefined, keys: string[]): boolean {
  if (eventName !== undefined && !sheet.eventNames.has(eventName)) return false;
  return keys.every((key) => sheet.keys.includes(key));
}

/**
 * Whether what is asked is from before the series had its first figures, and before it was looked at. An app, an event
 * or a segment that is younger than its rule's past has none there, and zeros would make it look calm.
 */
function isUnborn(window: Window, asked: Asked, { firstEndAt, lookedAtEndAt }: Birth): boolean {
  if (window.endAt >= lookedAtEndAt) return false;
  return (asked === 'previous' ? window.startAt : window.endAt) < firstEndAt;
}

/** The sheets of an event by their window, oldest first, and the newest window of those that were read at first. */
interface Past {
  told: { endAt: number; sheets: readonly IndexedSheet[] }[];
  lookedAtEndAt: number;
}

/** Where a series' figures are found in each sheet, and since when there are any. */
interface Line {
  row: string;
  keys: string[];
  birth: Birth;
}

/** When a series' first window with figures ended, and the newest one of those that were read at first. */
interface Birth {
  firstEndAt: number;
  lookedAtEndAt: number;
}
