import type { Query } from './query.ts';

export type Cell = string | number | boolean | null;
/** A number that an engine sends as text. NaN and infinity become NULL. */
export const numberIn = (text: string): Cell => (Number.isFinite(Number(text)) ? Number(text) : null);

/** A value of JSON; NULL for lists and objects. */
export const plainCell = (value: unknown): Cell =>
  typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string' ? value : null;

export type Row = Readonly<Record<string, Cell>>;

/** Rows of values by the names of their columns. */
export const namedRows = <Column extends { readonly name: string }, Value>(
  columns: readonly Column[],
  rows: readonly (readonly Value[])[],
  cellOf: (value: Value | undefined, column: Column) => Cell,
): Row[] =>
  rows.map((row) => Object.fromEntries(columns.map((column, at) => [column.name, cellOf(row[at], column)])));

export type RunQuery = (query: Query) => Promise<readonly Row[]>;

export interface EngineAnswer {
  readonly rows: readonly Row[];
  /** The bytes that the engine read for it, if it tells them. */
  readonly bytesScanned?: number;
}

/** Runs queries on the data of one app, as of the time the engine was opened. */
export interface Engine {
  /** Which UTC days have sums by the hour: all, or not those of the spans found here. Undefined without tables of sums. */
  readonly hours?: 'all days' | Set<string> | undefined;
  /**
   * Runs a query. Aborting `signal` stops it and rejects with the signal's reason.
   * @throws QueryLimitError if a limit of time or memory stopped the query.
   * @throws UpstreamError if the engine failed; neither message nor cause contains SQL.
   */
  answer(query: Query, signal?: AbortSignal): Promise<EngineAnswer>;
}
