import type { CursorPagination, Pagination } from '../../shared/analytics/responses.ts';
import type { Millis } from '../../shared/runtime/clock.ts';
import type { App } from './apps.ts';
import type { Ask } from './engines/engine.ts';

/** What a read has besides the request. */
export interface Call {
  readonly app: App;
  readonly now: Millis;
  readonly cursorSecret: string;
  /** Aborted once nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Told how many bytes a query read, by engines that know. */
  readonly onScanned: (bytes: number) => void;
}

export interface Answer {
  readonly data: readonly object[];
  readonly pagination: Pagination | CursorPagination;
}

/** Puts questions to the app of a call for as long as somebody waits. */
export function askerOf({ app, signal, onScanned }: Call): Ask {
  return async (query) => {
    const { rows, bytesScanned } = await app.engine.answer(query, signal);
    if (bytesScanned !== undefined) onScanned(bytesScanned);
    return rows;
  };
}

export const numbered = (current: number, pageSize: number, total: number): Pagination => ({
  current,
  next: current * pageSize < total ? current + 1 : null,
  total,
});
