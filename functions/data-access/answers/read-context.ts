import type { Resource } from '../../../shared/contract/attributes.ts';
import type { CursorPagination, Pagination } from '../../../shared/contract/responses.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import type { App } from '../apps/apps.ts';
import type { RunQuery } from '../engines/engine.ts';
import { firstRecord } from '../queries/question.ts';
import type { Span } from '../time/calendar.ts';
import { BEGINNING } from '../time/windows.ts';

/** What an endpoint needs besides the request. */
export interface Call {
  readonly app: App;
  readonly now: Millis;
  readonly cursorSecret: string;
  /** Aborted when the caller has disconnected. */
  readonly signal: AbortSignal;
  /** Called with the bytes that a query read, if the engine reports them. */
  readonly onScanned: (bytes: number) => void;
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

/**
 * Gives a window without a start the time of its first record as start, from which time buckets and pages count.
 */
export async function spanWithStart(
  runQuery: RunQuery,
  resource: Resource,
  { span, now }: { span: Span; now: Millis },
): Promise<Span> {
  if (span.from !== BEGINNING) return span;
  const [first] = await runQuery(firstRecord(resource, { span, now }));
  return { from: Number(first?.m0 ?? span.to), to: span.to };
}

export const numbered = (current: number, pageSize: number, total: number): Pagination => ({
  current,
  next: current * pageSize < total ? current + 1 : null,
  total,
});
