import type { TableSource } from '../compiler.ts';
import { type Cell, type Engine, namedRows, numberIn, type Row } from '../engine.ts';
import { type RunOptions, serverEngine } from '../server-engine.ts';
import { PostgresCompiler } from './compiler.ts';
import { postgresFailure } from './failures.ts';

/** The rows of a statement, with each cell as the text that PostgreSQL sends. */
export interface PostgresRows {
  readonly columns: readonly { readonly name: string; readonly typeId: number }[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** Runs single statements, each in a transaction that can only read. */
export interface PostgresClient {
  run(sql: string, parameters: readonly unknown[], options: RunOptions): Promise<PostgresRows>;
  close(): Promise<void>;
}

/** The engine of one request. Disposing stops all queries that still run. */
export const postgresEngine = (
  client: PostgresClient,
  source: TableSource,
  timeoutMs: number,
): Engine & AsyncDisposable =>
  serverEngine(timeoutMs, async (query, options) => {
    const { sql, parameters } = new PostgresCompiler(source).compile(query);
    return { rows: rowsOf(await client.run(sql, parameters, options).catch(throwFailure)) };
  });

function throwFailure(error: unknown): never {
  throw postgresFailure(error);
}

export const rowsOf = ({ columns, rows }: PostgresRows): Row[] =>
  namedRows(columns, rows, (cell = null, { typeId }) => cellOf(cell, typeId));

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
