import type { Sql } from './sql.ts';

export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell>>;

/** Where questions are put; one app's data as it was when the engine was opened. */
export interface Engine {
  /**
   * @throws QueryLimitError when the limit of time or memory stopped the query.
   * @throws UpstreamError when the engine failed; its message and cause carry no SQL.
   */
  rows(query: Sql): Promise<readonly Row[]>;
}
