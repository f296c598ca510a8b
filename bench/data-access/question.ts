import * as z from 'zod';
import type { AppId } from './apps.ts';
import { NOW } from './rows.ts';

/** What an answer says, row by row: enough of it to tell whether two answers are the same. */
export type Figures = readonly (readonly unknown[])[];

/** Runs one statement and gives its rows. */
export type AskSql = (sql: string) => Promise<Figures>;

/** One read over HTTP and, by hand, the best SQL for the same answer on the same rows. */
export interface Question {
  readonly name: string;
  readonly kind: 'analytics' | 'list';
  readonly app: AppId;
  readonly request: Request;
  /** What the body says. */
  figures(body: Body): Figures;
  /** The same from DuckDB; a later statement may be made from what an earlier one said. */
  duckdb(ask: AskSql): Promise<Figures>;
  /** The same from PostgreSQL: the rows of all statements. */
  readonly postgres: readonly string[];
}

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Written into the query or the body; credentials and the app are added. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

const rowSchema = z.record(z.string(), z.unknown());
export const bodySchema = z.object({
  success: z.literal(true),
  data: z.array(rowSchema),
  pagination: z.object({ total: z.int().optional() }),
});
export type Body = z.output<typeof bodySchema>;

export const get = (path: string, parameters: Request['parameters']): Request => ({
  method: 'GET',
  path: `/v2${path}`,
  parameters,
});

export const post = (path: string, parameters: Request['parameters']): Request => ({
  method: 'POST',
  path: `/api/data-access/v1${path}`,
  parameters,
});

export const DAY_MS = 86_400_000;

/** The window of so many days up to the service's now, as a filter and in SQL. */
export function lastDays(days: number) {
  const from = NOW - days * DAY_MS;
  const date = (at: number) => new Date(at).toISOString().slice(0, 10);
  const value = { lower: date(from), upper: date(NOW - DAY_MS) };
  return {
    from,
    now: NOW,
    filter: { attribute: 'date_range', operator: 'between_dates', value },
    sql: `uploaded_at <= ${NOW} AND recorded_at >= ${from} AND recorded_at < ${NOW}`,
  };
}

export const named = (event: string) => ({ attribute: 'event_name', operator: 'equal', value: event });
