import type { ReadingRow, Subject } from '../../shared/readings/reading.ts';
import { canonical } from '../../shared/text/content-hash.ts';
import type { Window } from '../../shared/time/window.ts';

/**
 * What queries must share to use the same rows: all but events, figures and windows. Calendars keep separate
 * rows even for shared windows, because their queries ask for different figures.
 */
type About = Pick<
  Subject,
  'app' | 'endpoint' | 'calendar' | 'filters' | 'segmentBy' | 'thenBy' | 'eventNames' | 'funnel' | 'parts'
>;

export class ArchivedRows {
  readonly #rows = new Map<string, Map<string, ReadingRow[]>>();
  /** End of the first window with figures, by app. */
  readonly #firstEndAt = new Map<string, number>();

  add(subject: About, window: Window, rows: readonly ReadingRow[]): void {
    const key = keyOf(subject);
    const byWindow = this.#rows.get(key) ?? new Map<string, ReadingRow[]>();
    this.#rows.set(key, byWindow);
    const known = byWindow.get(windowKey(window)) ?? [];
    byWindow.set(windowKey(window), [...known, ...rows]);
    const firstEndAt = this.#firstEndAt.get(subject.app) ?? Infinity;
    if (window.endAt < firstEndAt && rows.some(isSomething)) this.#firstEndAt.set(subject.app, window.endAt);
  }

  /** Whether any window of the app that ended by `at` has figures. */
  hasBefore(app: string, at: number): boolean {
    return (this.#firstEndAt.get(app) ?? Infinity) <= at;
  }

  /** The window's rows of all queried events; `undefined` where it was not queried. */
  find(subject: About, window: Window): ReadingRow[] | undefined {
    return this.#rows.get(keyOf(subject))?.get(windowKey(window));
  }
}

function keyOf(about: About): string {
  return canonical([
    about.app,
    about.endpoint,
    about.calendar,
    about.filters,
    about.segmentBy ?? null,
    about.eventNames !== undefined,
    about.thenBy ?? null,
    about.funnel ?? null,
    about.parts ?? null,
  ]);
}

/** A row may exist only for the other window of its query, with zeros here. */
function isSomething({ current }: ReadingRow): boolean {
  return Object.values(current ?? {}).some((figure) => figure !== null && figure > 0);
}

function windowKey({ startAt, endAt }: Window): string {
  return `${startAt} ${endAt}`;
}
