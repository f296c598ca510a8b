import type { CursorPagination, Pagination } from '../../../shared/contract/responses.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import type { App } from '../apps/apps.ts';
import type { RunQuery } from '../engines/engine.ts';

/** What an endpoint needs besides the request. */
export interface Call {
  readonly app: App;
  readonly now: Millis;
  readonly cursorSecret: string;
  /** Aborted when the caller has disconnected. */
  readonly signal: AbortSignal;
  /** Called with the bytes that a query read, if the engine reports them. */
  readonly onScanned: (bytes: number) => void;
  /** The last catalogue of each app. */
  readonly catalogues: Map<string, { readonly readAt: Millis; readonly answer: Answer }>;
}

export interface Answer {
  readonly data: readonly object[];
  readonly pagination: Pagination | CursorPagination;
}

/** Runs queries on the app of a call until the caller disconnects. */
export function queryRunner({ app, signal, onScanned }: Call): RunQuery {
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
