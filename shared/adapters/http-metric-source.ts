import type { CallBudget } from '../alerting/call-budget.ts';
import type { MetricSource, RangeResult, ReadResult } from '../alerting/ports.ts';
import type { Question, RangeQuestion, ReadingRow } from '../alerting/reading.ts';
import type { Window } from '../alerting/window.ts';
import { UpstreamError } from '../runtime/errors.ts';
import { comparedRows, joinRows, newestEventIn, pageOf, rowsOf, rowsOfRange } from './data-access-answers.ts';
import {
  analyticsCall,
  atPage,
  type DataAccessCall,
  newestEventCall,
  partsOf,
  rangeCall,
} from './data-access-calls.ts';
import { BudgetSpentError, createDataAccessHttp, type DataAccessHttpOptions } from './data-access-http.ts';
import { QuestionRefusedError } from './data-access-refusals.ts';

export interface HttpMetricSourceOptions extends DataAccessHttpOptions {
  /** Whether the service compares periods on JSON-body endpoints too, which is an extension of the contract. */
  supportsBodyComparison?: boolean;
  /** What was found out about ranges; given by whoever makes several sources. */
  ranges?: KnownRanges;
}

/** By what a range is about: that the service answers such by exactly its windows, or why it does not this one. */
export type KnownRanges = Map<string, { isExact: true } | { isExact: false; reason: string }>;

const MAX_PAGES = 200;
/** Devices' clocks run ahead of ours. */
const CLOCK_SKEW_MS = 5 * 60_000;

/**
 * Reads metrics from the data access service. The previous window's figures are the service's own where it compares
 * with that very window, and else read by a second call; they are never worked out from a percentage. A range that the
 * service refused or answered by other buckets is not asked for again; one that did not reach it is. An answer without
 * rows is believed only where others of the same buckets were exact: it may mean that there was nothing, or that the
 * service does not know how to part it.
 */
export function createHttpMetricSource(options: HttpMetricSourceOptions): MetricSource {
  const { clock, supportsBodyComparison = false } = options;
  const ranges: KnownRanges = options.ranges ?? new Map();
  let calls = 0;
  const { budget } = options;
  const send = createDataAccessHttp({
    ...options,
    budget: {
      async takeCalls(app, at, wanted, part) {
        const isTaken = await budget.takeCalls(app, at, wanted, part);
        if (isTaken) calls += wanted;
        return isTaken;
      },
    },
  });

  const readItems = async (call: DataAccessCall, budget: CallBudget) => {
    const all = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const { items, isLast } = pageOf(await send(atPage(call, page), budget));
      all.push(...items);
      if (isLast) return all;
    }
    throw new UpstreamError(`an answer has over ${MAX_PAGES} pages`, { retryable: false });
  };

  /** The legacy style gives all rows at once to whoever asks for no page; a service may part them even so. */
  const readWhole = async (call: DataAccessCall, budget: CallBudget) => {
    if (call.style === 'json') return readItems(call, budget);
    const { items, isLast } = pageOf(await send(call, budget), Infinity);
    return isLast ? items : readItems(call, budget);
  };

  const readBoth = async (question: Question, budget: CallBudget): Promise<ReadingRow[]> => {
    const readWindow = async (window: Window) =>
      rowsOf(await readItems(analyticsCall(question, window, supportsBodyComparison), budget), question);
    const current = await readWindow(question.window);
    const compared = isComparedByElapsedTime(question) ? comparedRows(current) : undefined;
    return compared ?? joinRows(current, await readWindow(question.previous));
  };

  const readWindows = async (question: RangeQuestion, budget: CallBudget): Promise<RangeResult> => {
    const { windows, inOneAnswer = false } = question;
    const rows = windows.map((): ReadingRow[] => []);
    const readAll = inOneAnswer ? readWhole : readItems;
    let isEmpty = true;
    for (const part of partsOf(question, inOneAnswer ? 1 : windows.length)) {
      const items = await asUnsupported(QuestionRefusedError, () => readAll(rangeCall(part), budget));
      if (items.length === 0) continue;
      isEmpty = false;
      const parted = await asUnsupported(UpstreamError, () => rowsOfRange(items, part));
      for (const [i, each] of parted.entries()) rows[i]?.push(...each);
    }
    const key = bucketsKey(question);
    if (isEmpty && !ranges.get(key)?.isExact)
      return { kind: 'unsupported', reason: 'its answer has no rows' };
    ranges.set(key, { isExact: true });
    return { kind: 'read', value: rows };
  };

  return {
    read: (question, budget = 'whole') =>
      asResult(async () => {
        const rows: ReadingRow[] = [];
        for (const part of partsOf(question)) rows.push(...(await readBoth(part, budget)));
        return rows;
      }),
    async readRange(question, budget = 'whole') {
      const key = rangeKey(question);
      const known = ranges.get(key);
      if (known?.isExact === false) return { kind: 'unsupported', reason: known.reason };
      try {
        const result = await asResult(() => readWindows(question, budget));
        return result.kind === 'read' ? result.value : result;
      } catch (error) {
        if (!(error instanceof UnsupportedError)) throw error;
        if (!question.inOneAnswer) ranges.set(key, { isExact: false, reason: error.message });
        return { kind: 'unsupported', reason: error.message };
      }
    },
    readNewestEventAt: (app, since) =>
      asResult(async () => {
        const until = Math.max(since, clock.now() + CLOCK_SKEW_MS);
        return newestEventIn(pageOf(await send(newestEventCall(app, since, until), 'whole')).items);
      }),
    callsMade: () => calls,
  };
}

/** Questions of one key are all about one family, and meet with the same answer. */
function rangeKey({ app, endpoint, filters, segmentBy, calendar }: RangeQuestion): string {
  return JSON.stringify([app, endpoint, filters, segmentBy, calendar.grain, calendar.zone]);
}

/** Questions of one key are about the same events, parted in the same way. */
function bucketsKey({ app, endpoint, calendar }: RangeQuestion): string {
  return JSON.stringify([app, endpoint, calendar.grain, calendar.zone]);
}

/** The service does not part figures as it was asked to. */
class UnsupportedError extends Error {}

async function asUnsupported<T>(kind: typeof UpstreamError, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof kind) throw new UnsupportedError(error.message, { cause: error });
    throw error;
  }
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
