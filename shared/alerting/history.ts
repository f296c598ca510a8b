import type { Metric } from './metrics.ts';
import type { Figures, Reading, ReadingRow, SeriesKey, Sheet } from './reading.ts';
import type { Window } from './window.ts';

type Period = 'current' | 'previous';

/** `first-read`: the window's own figures, as they were before it was read again. */
type Asked = Period | 'first-read';

/** Windows with figures after which earlier ones without any are from before there was anything to count. */
const ALIVE_AFTER = 8;

/** What a judge asks of the past. */
export type Readings = Pick<History, 'reading'>;

/** What the sheets of one family say, by window, event name and segment. */
export class History {
  /** By the end of their window, the newest first. */
  readonly #byWindow = new Map<number, IndexedSheet[]>();
  #knownBirthAt: number | undefined;

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
    this.#knownBirthAt = undefined;
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
   * `undefined` where nobody asked, before there was anything to count, or where the segment may be among those that were folded; a count that was asked for and has no row is
   * zero, a mean without rows and a ratio to nothing have no value.
   */
  reading(window: Window, series: SeriesKey, metric: Metric, asked: Asked = 'current'): Reading | undefined {
    if (metric.kind === 'ratio') return this.#ratio(window, series, metric.counted, asked);
    const keys = metric.kind === 'mean' ? [metric.key, metric.weight.key] : [metric.key];
    const { sheet, period } = this.#telling(window, asked, series.eventName, keys);
    if (!sheet) return undefined;
    if (series.outside) return restReading(sheet, { ...series, outside: series.outside }, metric, period);
    const figures = sheet.rows.get(rowKey(series))?.[period];
    if (!figures && sheet.folded[period].has(series.eventName)) return undefined;
    if (metric.kind === 'count') return { value: figures?.[metric.key] ?? 0, weight: null };
    const weight = figures?.[metric.weight.key] ?? 0;
    return { value: weight > 0 ? (figures?.[metric.key] ?? null) : null, weight };
  }

  /** How large each segment is that had a row in `window`: what was counted, or the weight of a mean. */
  segments(window: Window, eventName: string | undefined, metric: Metric): Map<string, number> {
    const [sheet] = this.#sheets(window.endAt, eventName, [metric.key]);
    const rows = [...(sheet?.rows.values() ?? [])].filter((row) => row.eventName === eventName);
    const key = metric.kind === 'mean' ? metric.weight.key : metric.key;
    return new Map(
      rows.flatMap(({ segment, current, previous }) =>
        segment === undefined ? [] : [[segment, Math.max(current?.[key] ?? 0, previous?.[key] ?? 0)]],
      ),
    );
  }

  /** Whether some segments of `window` were folded into one row, as there were more than were asked for. */
  isFolded(window: Window, eventName: string | undefined, metric: Metric): boolean {
    const [sheet] = this.#sheets(window.endAt, eventName, [metric.key]);
    return sheet?.rest.has(eventName) ?? false;
  }

  #ratio(window: Window, { per, ...series }: SeriesKey, counted: Metric, asked: Asked): Reading | undefined {
    if (per === undefined) return undefined;
    const of = this.reading(window, series, counted, asked)?.value;
    const to = this.reading(window, { ...series, eventName: per }, counted, asked)?.value;
    if (of == null || to == null) return undefined;
    return { value: to > 0 ? of / to : null, weight: to };
  }

  /** The sheet that tells of what is asked, and by which figures: one that stands alone leaves it to the one before. */
  #telling(window: Window, asked: Asked, eventName: string | undefined, keys: string[]) {
    const sheets = window.endAt > this.#birthAt() ? this.#sheets(window.endAt, eventName, keys) : [];
    const sheet = asked === 'first-read' ? sheets.at(-1) : sheets[0];
    if (asked !== 'previous') return { sheet, period: 'current' as const };
    if (!sheet?.isAlone) return { sheet, period: 'previous' as const };
    return { sheet: this.#sheets(window.startAt, eventName, keys)[0], period: 'current' as const };
  }

  /**
   * When the first window with figures began. An app that is younger than its rules' past has none before, and zeros
   * would make it look calm. Where figures are rare, windows without any say as much as others.
   */
  #birthAt(): number {
    if (this.#knownBirthAt !== undefined) return this.#knownBirthAt;
    const ends = [...this.#byWindow.keys()].sort((a, b) => a - b);
    const isAlive = (endAt: number) => this.#byWindow.get(endAt)?.some(({ isEmpty }) => !isEmpty) ?? false;
    const first = ends.findIndex(isAlive);
    const since = ends.slice(first);
    const alive = since.filter(isAlive).length;
    const isBorn = first > 0 && alive > ALIVE_AFTER && alive * 2 >= since.length;
    this.#knownBirthAt = isBorn ? (ends[first - 1] ?? -Infinity) : -Infinity;
    return this.#knownBirthAt;
  }

  #sheets(endAt: number, eventName: string | undefined, keys: string[]): IndexedSheet[] {
    return (this.#byWindow.get(endAt) ?? []).filter(
      (sheet) =>
        (eventName === undefined || sheet.eventNames.has(eventName)) &&
        keys.every((key) => sheet.keys.includes(key)),
    );
  }
}

interface IndexedSheet {
  readAt: number;
  isAlone: boolean;
  /** Whether nothing was counted. */
  isEmpty: boolean;
  eventNames: Set<string>;
  keys: string[];
  /** Event names of which not every segment has figures. */
  folded: Record<Period, Set<string | undefined>>;
  /** The row into which the others were folded, by event name. */
  rest: Map<string | undefined, ReadingRow>;
  rows: Map<string, ReadingRow>;
}

function indexed(sheet: Sheet): IndexedSheet {
  const figures = sheet.rows.flatMap(({ current = {} }) => Object.values(current));
  return {
    readAt: sheet.readAt,
    isAlone: sheet.isAlone ?? false,
    isEmpty: figures.every((figure) => figure === null || figure === 0),
    eventNames: new Set(sheet.eventNames),
    keys: sheet.keys,
    folded: { current: foldedIn(sheet, 'current'), previous: foldedIn(sheet, 'previous') },
    rest: new Map(sheet.rows.filter(({ isRest }) => isRest).map((row) => [row.eventName, row])),
    rows: new Map(sheet.rows.filter(({ isRest }) => !isRest).map((row) => [rowKey(row), row])),
  };
}

function foldedIn(sheet: Sheet, period: Period): Set<string | undefined> {
  return new Set(sheet.rows.filter((row) => row.isRest && row[period]).map(({ eventName }) => eventName));
}

/**
 * All segments outside of some, taken together: amounts are added, means weighted. `undefined` where one of those may
 * be among the folded ones, whose share of that row nobody knows.
 */
function restReading(
  sheet: IndexedSheet,
  { eventName, outside }: SeriesKey & { outside: ReadonlySet<string> },
  metric: Exclude<Metric, { kind: 'ratio' }>,
  period: Period,
): Reading | undefined {
  const folded = sheet.rest.get(eventName);
  const isKnown = (segment: string) =>
    sheet.rows.get(rowKey({ ...(eventName !== undefined && { eventName }), segment }))?.[period] !==
    undefined;
  if (folded?.[period] && ![...outside].every(isKnown)) return undefined;
  const rows = [...sheet.rows.values()].filter(
    (row) => row.eventName === eventName && row.segment !== undefined && !outside.has(row.segment),
  );
  const figures = [...rows, ...(folded ? [folded] : [])].flatMap((row) => (row[period] ? [row[period]] : []));
  const sum = (of: (each: Figures) => number) => figures.reduce((total, each) => total + of(each), 0);
  if (metric.kind === 'count') return { value: sum((each) => each[metric.key] ?? 0), weight: null };
  const weightOf = (each: Figures) => each[metric.weight.key] ?? 0;
  const weight = sum(weightOf);
  const total = sum((each) => weightOf(each) * (each[metric.key] ?? 0));
  return { value: weight > 0 ? total / weight : null, weight };
}

function rowKey({ eventName, segment }: SeriesKey): string {
  return JSON.stringify([eventName ?? null, segment ?? null]);
}
