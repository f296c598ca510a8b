import { QueryLimitError } from '../../../../shared/runtime/errors.ts';
import type { TableSource } from '../compiler.ts';
import type { Cell, Engine, Row } from '../engine.ts';
import { requestQueries } from '../request-queries.ts';
import { ClickHouseCompiler } from './compiler.ts';
import { clickHouseFailure } from './failures.ts';

export interface ClickHouseRows {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
}

export interface ClickHouseOptions {
  /** Stops the statement; the call then rejects. */
  readonly signal: AbortSignal;
  /** Includes the wait for a connection. The server stops the statement then. */
  readonly timeoutMs: number;
  /** Called when the statement has a connection. */
  readonly onTurn?: () => void;
}

/** Runs single statements that can only read. */
export interface ClickHouse {
  run(sql: string, options: ClickHouseOptions): Promise<ClickHouseRows>;
  close(): Promise<void>;
}

/** The engine of one request. Disposing stops all queries that still run. */
export function clickHouseEngine(
  client: ClickHouse,
  source: TableSource,
  timeoutMs: number,
): Engine & AsyncDisposable {
  const endsAt = performance.now() + timeoutMs;
  const { run, ...queries } = requestQueries();
  return {
    ...queries,
    async answer(query, caller) {
      const { sql } = new ClickHouseCompiler(source).compile(query);
      const leftMs = endsAt - performance.now();
      if (leftMs < 1) throw new QueryLimitError('stopped at the time limit of a request');
      return run(caller, async (signal, onTurn) => {
        signal.throwIfAborted();
        const answer = client.run(sql, { signal, timeoutMs: leftMs, onTurn });
        return { rows: rowsOf(await answer.catch(throwFailure)) };
      });
    },
  };
}

function throwFailure(error: unknown): never {
  throw clickHouseFailure(error);
}

export const rowsOf = ({ columns, rows }: ClickHouseRows): Row[] =>
  rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, cellOf(row[at])] as const)));

const cellOf = (value: unknown): Cell =>
  typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string' ? value : null;
