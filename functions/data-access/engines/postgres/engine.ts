import { QueryLimitError } from '../../../../shared/runtime/errors.ts';
import type { TableSource } from '../compiler.ts';
import { type Cell, type Engine, numberIn, type Row } from '../engine.ts';
import { requestQueries } from '../request-queries.ts';
import { PostgresCompiler } from './compiler.ts';
import { postgresFailure } from './failures.ts';

/** The rows of a statement, with each cell as the text that PostgreSQL sends. */
export interface PostgresRows {
  readonly columns: readonly { readonly name: string; readonly typeId: number }[];
  readonly rows: readonly (readonly (string | null)[])[];
}

export interface PostgresOptions {
  /** Stops the statement; the call then rejects. */
  readonly signal: AbortSignal;
  /** Includes the wait for a connection. The server stops the statement then, even if the client is gone. */
  readonly timeoutMs: number;
  /** Called when the statement has a connection. */
  readonly onTurn?: () => void;
}

/** Runs single statements, each in a transaction that can only read. */
export interface PostgresClient {
  run(sql: string, parameters: readonly unknown[], options: PostgresOptions): Promise<PostgresRows>;
  close(): Promise<void>;
}

/** The engine of one request. Disposing stops all queries that still run. */
export function postgresEngine(
  client: PostgresClient,
  source: TableSource,
  timeoutMs: number,
): Engine & AsyncDisposable {
  const endsAt = performance.now() + timeoutMs;
  const { run, ...queries } = requestQueries();
  return {
    ...queries,
    async answer(query, caller) {
      const { sql, parameters } = new PostgresCompiler(source).compile(query);
      const leftMs = endsAt - performance.now();
      if (leftMs < 1) throw new QueryLimitError('stopped at the time limit of a request');
      return run(caller, async (signal, onTurn) => {
        signal.throwIfAborted();
        const answer = client.run(sql, parameters, { signal, timeoutMs: leftMs, onTurn });
        return { rows: rowsOf(await answer.catch(throwFailure)) };
      });
    },
  };
}

function throwFailure(error: unknown): never {
  throw postgresFailure(error);
}

export const rowsOf = ({ columns, rows }: PostgresRows): Row[] =>
  rows.map((row) =>
    Object.fromEntries(columns.map(({ name, typeId }, at) => [name, cellOf(row[at] ?? null, typeId)])),
  );

/** Numbers of types in the catalogue of PostgreSQL. */
export const POSTGRES_TYPES = {
  boolean: 16,
  bigint: 20,
  smallint: 21,
  integer: 23,
  text: 25,
  json: 114,
  real: 700,
  double: 701,
  varchar: 1043,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  numeric: 1700,
  jsonb: 3802,
  texts: 1009,
  varchars: 1015,
} as const;

const { boolean, bigint, smallint, integer, real, double, numeric } = POSTGRES_TYPES;
const NUMBERS: readonly number[] = [bigint, smallint, integer, real, double, numeric];

/** Converts a cell from the text that PostgreSQL sends. */
function cellOf(cell: string | null, typeId: number): Cell {
  if (cell === null) return null;
  if (typeId === boolean) return cell === 't';
  return NUMBERS.includes(typeId) ? numberIn(cell) : cell;
}
