import { ManualClock } from '../../../shared/runtime/clock.ts';
import {
  createHttpMetricSource,
  type HttpMetricSourceOptions,
} from '../../../shared/source/metric-source.ts';

export const KEY = "key/with+signs! (and 'more')~";
export const NOW = Date.parse('2026-04-01T11:10:00Z');

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** A string is sent unchanged, anything else as JSON. */
  body?: unknown;
}

interface Asked {
  at: number;
  path: string;
  query: Record<string, unknown>;
  body: Record<string, unknown>;
  init: RequestInit;
}

export const rows = (...data: object[]): Reply => ({ body: { success: true, data } });
export const page = (next: number | null, ...data: object[]): Reply => ({
  body: { success: true, data, pagination: { current: 1, next, total: data.length } },
});

/** A source whose service returns `replies` in turn, with the requests that it received. */
export function sourceOf(replies: Reply[], options: Partial<HttpMetricSourceOptions> = {}) {
  const clock = new ManualClock(NOW);
  const asked: Asked[] = [];
  const source = createHttpMetricSource({
    baseUrl: 'https://analytics.example.com/base/',
    apiKey: KEY,
    clock,
    budget: { takeCalls: () => true },
    fetch: (url, init) => {
      asked.push({ at: clock.now() - NOW, init, ...partsOf(url, init) });
      const { status = 200, headers, body = '' } = replies[asked.length - 1] ?? { status: 599 };
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), {
        status,
        ...(headers && { headers }),
      });
    },
    ...options,
  });
  return { source, asked, clock };
}

export function partsOf(url: string, init: RequestInit) {
  const { pathname, searchParams } = new URL(url);
  const query = [...searchParams].map(([key, value]) => [
    key,
    /^[[{]/.test(value) ? JSON.parse(value) : value,
  ]);
  return {
    path: pathname,
    query: Object.fromEntries(query),
    body: typeof init.body === 'string' ? JSON.parse(init.body) : {},
  };
}

/** A row with its comparison. */
export const compared = { event_count: 5, event_count_previous: 3, event_count_pct_change: 66.67 };
