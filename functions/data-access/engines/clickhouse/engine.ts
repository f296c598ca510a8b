import type { TableSource } from '../compiler.ts';
import { type Engine, namedRows, plainCell, type Row } from '../engine.ts';
import { type RunOptions, serverEngine } from '../server-engine.ts';
import { ClickHouseCompiler } from './compiler.ts';
import { clickHouseFailure } from './failures.ts';

export interface ClickHouseRows {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  readonly bytesScanned?: number;
}

/** Runs single statements that can only read. */
export interface ClickHouse {
  run(sql: string, options: RunOptions): Promise<ClickHouseRows>;
  close(): Promise<void>;
}

/** The engine of one request. Disposing stops all queries that still run. */
export const clickHouseEngine = (
  client: ClickHouse,
  source: TableSource,
  timeoutMs: number,
): Engine & AsyncDisposable =>
  serverEngine(timeoutMs, async (query, options) => {
    const { sql } = new ClickHouseCompiler(source).compile(query);
    const answered = await client.run(sql, options).catch(throwFailure);
    return { ...answered, rows: rowsOf(answered) };
  });

function throwFailure(error: unknown): never {
  throw clickHouseFailure(error);
}

export const rowsOf = ({ columns, rows }: ClickHouseRows): Row[] => namedRows(columns, rows, plainCell);
