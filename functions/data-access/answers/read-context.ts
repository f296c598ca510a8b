import type { Resource } from '../../../shared/analytics/attributes.ts';
import type { CursorPagination, Pagination } from '../../../shared/analytics/responses.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import type { App } from '../apps/apps.ts';
import type { Ask } from '../engines/engine.ts';
import { firstRecord } from '../queries/question.ts';
import type { Span } from '../time/calendar.ts';
import { BEGINNING } from '../time/windows.ts';

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

/**
 * A window without a start as one that begins with its first record: steps of time are counted from there, and pages
 * of a list are looked for between its ends.
 */
export async function spanWithStart(
  ask: Ask,
  resource: Resource,
  { span, now }: { span: Span; now: Millis },
): Promise<Span> {
  if (span.from !== BEGINNING) return span;
  const [first] = await ask(firstRecord(resource, { span, now }));
  return { from: Number(first?.m0 ?? span.to), to: span.to };
}

export const numbered = (current: number, pageSize: number, total: number): Pagination => ({
  current,
  next: current * pageSize < total ? current + 1 : null,
  total,
});
