import type { Query } from './query.ts';

export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell>>;

/** Puts a question and gives its rows. */
export type Ask = (query: Query) => Promise<readonly Row[]>;

export interface EngineAnswer {
  readonly rows: readonly Row[];
  /** What an engine that is paid by it has read for the answer. */
  readonly bytesScanned?: number;
}

/** Where questions are put; one app's data as it was when the engine was opened. */
export interface Engine {
  /**
   * Stops the query when `signal` is aborted, and then throws its reason.
   * @throws QueryLimitError when the limit of time or memory stopped the query.
   * @throws UpstreamError when the engine failed; its message and cause carry no SQL.
   */
  answer(query: Query, signal?: AbortSignal): Promise<EngineAnswer>;
}
