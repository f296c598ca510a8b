import type { MetricSource, ReadResult } from '../alerting/ports.ts';
import type { Question, ReadingRow } from '../alerting/reading.ts';
import type { Window } from '../alerting/window.ts';
import { UpstreamError } from '../runtime/errors.ts';
import { comparedRows, joinRows, newestEventIn, pageOf, rowsOf } from './data-access-answers.ts';
import { analyticsCall, atPage, type DataAccessCall, newestEventCall, partsOf } from './data-access-calls.ts';
import { BudgetSpentError, createDataAccessHttp, type DataAccessHttpOptions } from './data-access-http.ts';

export interface HttpMetricSourceOptions extends DataAccessHttpOptions {
  /** Whether the service compares periods on JSON-body endpoints too, which is an extension of the contract. */
  supportsBodyComparison?: boolean;
}

const MAX_PAGES = 200;
/** Devices' clocks run ahead of ours. */
const CLOCK_SKEW_MS = 5 * 60_000;

/**
 * Reads metrics from the data access service. The previous window's figures are the service's own where it compares
 * with that very window, and else read by a second call; they are never worked out from a percentage.
 */
export function createHttpMetricSource(options: HttpMetricSourceOptions): MetricSource {
  const { clock, supportsBodyComparison = false } = options;
  const send = createDataAccessHttp(options);

  const readItems = async (call: DataAccessCall) => {
    const all = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const { items, isLast } = pageOf(await send(atPage(call, page)));
      all.push(...items);
      if (isLast) return all;
    }
    throw new UpstreamError(`an answer has over ${MAX_PAGES} pages`, { retryable: false });
  };

  const readWindow = async (question: Question, window: Window) =>
    rowsOf(await readItems(analyticsCall(question, window, supportsBodyComparison)), question);

  const readBoth = async (question: Question): Promise<ReadingRow[]> => {
    const current = await readWindow(question, question.window);
    const compared = isComparedByElapsedTime(question) ? comparedRows(current) : undefined;
    return compared ?? joinRows(current, await readWindow(question, question.previous));
  };

  return {
    read: (question) =>
      asResult(async () => {
        const rows: ReadingRow[] = [];
        for (const part of partsOf(question)) rows.push(...(await readBoth(part)));
        return rows;
      }),
    readNewestEventAt: (app, since) =>
      asResult(async () => {
        const until = Math.max(since, clock.now() + CLOCK_SKEW_MS);
        return newestEventIn(pageOf(await send(newestEventCall(app, since, until))).items);
      }),
  };
}

/** Bounds that are timestamps are compared with the same elapsed time before: not the day before a 25-hour day. */
function isComparedByElapsedTime({ window, previous }: Question): boolean {
  return (
    previous.endAt === window.startAt && previous.endAt - previous.startAt === window.endAt - window.startAt
  );
}

async function asResult<T>(read: () => Promise<T>): Promise<ReadResult<T>> {
  try {
    return { kind: 'read', value: await read() };
  } catch (error) {
    if (error instanceof BudgetSpentError) return { kind: 'budget-spent', reason: error.message };
    if (error instanceof UpstreamError)
      return { kind: 'failed', reason: error.message, retryable: error.retryable };
    throw error;
  }
}
