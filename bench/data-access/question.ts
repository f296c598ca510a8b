import * as z from 'zod';
import { DAY_MS } from '../../shared/units/durations.ts';
import type { AppId } from './apps.ts';
import type { PeerName } from './peer.ts';
import { NOW } from './rows.ts';

/** The rows of a response, with the fields that are compared between engines. */
export type Figures = readonly (readonly unknown[])[];

/** Runs one statement and returns its rows. */
export type AskSql = (sql: string) => Promise<Figures>;

/** A request over HTTP, and the best handwritten SQL for the same result on the same rows. */
export interface Question {
  readonly name: string;
  readonly kind: 'analytics' | 'list';
  readonly app: AppId;
  readonly request: Request;
  /** The rows of the HTTP response. */
  figures(body: Body): Figures;
  /** The same rows from DuckDB. A statement may depend on the result of an earlier one. */
  duckdb(ask: AskSql): Promise<Figures>;
  /** The statements for each peer. Their rows together are the same rows. */
  readonly peers: Readonly<Record<PeerName, readonly string[]>>;
}

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Sent in the query string or the body, with the credentials and the app. */
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

/** The last `days` days before the service's current time, as a filter and in SQL. */
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
