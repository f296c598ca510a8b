import * as z from 'zod';
import { retryAfterMs } from '../../../../shared/http/retry-after.ts';
import { whyUnreachable } from '../../../../shared/http/unreachable.ts';
import type { Clock } from '../../../../shared/runtime/clock.ts';
import { QueryLimitError, UpstreamError } from '../../../../shared/runtime/errors.ts';
import { jsonIn } from '../../../../shared/text/json.ts';
import type { ClickHouse, ClickHouseRows } from '../clickhouse/engine.ts';
import type { RunOptions } from '../server-engine.ts';
import { abortAfter, slots, slotWithin } from '../slots.ts';
import { SqlRejected } from '../table-reader.ts';

export interface PostHogSettings {
  /** The address of its page: `https://eu.posthog.com`. */
  readonly host: string;
  readonly project: number;
  /** A personal API key that may read queries. */
  readonly key: string;
  readonly clock: Pick<Clock, 'now'>;
}

const answerSchema = z.object({
  columns: z.array(z.string()),
  types: z.array(z.tuple([z.string(), z.string()])),
  results: z.array(z.array(z.unknown())),
});
const refusalSchema = z.object({ detail: z.string() });

/** PostHog returns no more. */
export const MOST_ROWS = 50_000;

/**
 * The query API of PostHog (https://posthog.com/docs/api/queries). Asks one question at a time, because PostHog limits
 * how many run at once for all users of a project.
 */
export function postHog({ host, project, key, clock }: PostHogSettings): ClickHouse {
  const url = new URL(`/api/projects/${project}/query/`, host).href;
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const slot = slots(1);
  const ask = async (sql: string, { signal, timeoutMs, onTurn }: RunOptions): Promise<ClickHouseRows> => {
    using late = abortAfter(timeoutMs, () => new QueryLimitError('stopped at the time limit of a request'));
    const stop = AbortSignal.any([signal, late.signal]);
    const query = { kind: 'HogQLQuery', query: sql };
    // An answer that PostHog keeps could be older than the window of a rule.
    const body = JSON.stringify({ query, refresh: 'force_blocking' });
    onTurn?.();
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal: stop, redirect: 'manual' });
      const text = await response.text();
      if (!response.ok) throw refusalOf(response, text, clock.now());
      return rowsIn(text);
    } catch (error) {
      stop.throwIfAborted();
      if (!(error instanceof TypeError)) throw error;
      throw new UpstreamError(`PostHog ${whyUnreachable(error, timeoutMs)}`, { retryable: true });
    }
  };
  return {
    async run(sql, options) {
      const endsAt = performance.now() + options.timeoutMs;
      const release = await slotWithin(slot, options);
      try {
        return await ask(sql, { ...options, timeoutMs: Math.max(1, endsAt - performance.now()) });
      } finally {
        release();
      }
    },
    close: async () => {},
  };
}

function rowsIn(text: string): ClickHouseRows {
  const answer = answerSchema.safeParse(jsonIn(text));
  if (!answer.success) throw lasting('PostHog answers in an unknown form: is "host" the address of PostHog?');
  const { columns, types, results } = answer.data;
  if (results.length >= MOST_ROWS)
    throw new QueryLimitError(`the answer has ${MOST_ROWS} rows, the most that PostHog returns`);
  return { columns: columns.map((name, at) => ({ name, type: types[at]?.[1] ?? '' })), rows: results };
}

const lasting = (message: string) => new UpstreamError(message, { retryable: false });
const LASTING: Readonly<Record<number, string>> = {
  401: 'PostHog does not accept the personal API key',
  403: 'the personal API key may not query this project: it needs the scope "query:read"',
  404: 'PostHog has no such project',
};
/** Time, or the memory of the server. */
const LIMITS = [504, 512, 513];

function refusalOf({ status, headers }: Response, text: string, now: number): Error {
  const { data } = refusalSchema.safeParse(jsonIn(text));
  if (status === 400) return new SqlRejected(data?.detail ?? 'the query is invalid');
  if (status < 400) return lasting('PostHog has another address than "host": it redirects');
  if (LIMITS.includes(status)) return new QueryLimitError('stopped at a limit of PostHog');
  if (status !== 429 && status < 500) return lasting(LASTING[status] ?? `PostHog failed (${status})`);
  const wait = retryAfterMs(headers.get('retry-after'), now);
  const says = status === 429 ? 'PostHog asks to wait (429)' : `PostHog failed (${status})`;
  return new UpstreamError(says, { retryable: true, ...(wait !== undefined && { retryAfterMs: wait }) });
}
