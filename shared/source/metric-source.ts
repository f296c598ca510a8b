import type { Aggregation } from '../contract/grouping.ts';
import { withComputedQuestions } from '../readings/computed-questions.ts';
import type { CallBudget, ListedRecords, MetricSource, ReadResult } from '../readings/metric-source.ts';
import type { Question, RangeQuestion, ReadingRow } from '../readings/reading.ts';
import { windowFilter } from '../readings/series.ts';
import { UpstreamError } from '../runtime/errors.ts';
import type { Window } from '../time/window.ts';
import { forgetOldRefusals, newKnowledge, type ServiceKnowledge } from './answer-knowledge.ts';
import { areCompared, catalogueIn, joinRows, newestEventIn, pageOf, rowsOf, rowsOfRange } from './answers.ts';
import { analyticsCall, listCall, partsOf, rangeCall } from './calls.ts';
import { type Answered, derivedRows } from './derived-figures.ts';
import { BudgetSpentError, createDataAccessHttp, type DataAccessHttpOptions } from './http-calls.ts';
import { findRefused, noteAnswered, refusalIn, untestedIn } from './metric-probes.ts';
import { planFor } from './metric-substitutes.ts';
import { createPageReader } from './pages.ts';
import { QuestionRefusedError } from './refusals.ts';

export interface HttpMetricSourceOptions extends DataAccessHttpOptions {
  /** Whether the service compares periods on JSON-body endpoints too, an extension of the interface. */
  supportsBodyComparison?: boolean;
  /** What is known about the service. Pass it to share it between sources. */
  knowledge?: ServiceKnowledge;
}

/** Clocks of devices may run ahead. */
const CLOCK_SKEW_MS = 5 * 60_000;

/**
 * Reads metrics from the data access service. Figures of the previous window come from the service if it compares with
 * exactly that window, and otherwise from a second call. They are never computed from a percentage. A range that the
 * service refused or answered with other buckets is not requested again; one that failed for another reason is. A
 * response without rows is only trusted if earlier ranges had exact buckets: there may be no data, or the service may
 * not know the bucket. If the service refuses a metric that the interface does not document, it is computed from
 * documented ones that give the same figure; otherwise the read fails. A refused metric is not requested again for a
 * while.
 */
export function createHttpMetricSource(options: HttpMetricSourceOptions): MetricSource {
  const { budget, clock, knowledge = newKnowledge(), supportsBodyComparison = false } = options;
  const { ranges } = knowledge;
  let calls = 0;
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

  const { readItems, readWhole } = createPageReader(send, knowledge);

  const readWindow = async (question: Question, window: Window, budget: CallBudget) =>
    rowsOf(await readItems(analyticsCall(question, window, supportsBodyComparison), budget), question);

  const readList = async (list: ListedRecords, most: number, budget: CallBudget) =>
    pageOf(await send(listCall(list, most), budget)).items;

  const readBoth = async (question: Question, budget: CallBudget): Promise<ReadingRow[]> => {
    const current = await readWindow(question, question.window, budget);
    if (isComparedByElapsedTime(question) && areCompared(current)) return current;
    return joinRows(current, await readWindow(question, question.previous, budget));
  };

  /** Reads with what is known about the service. If it refuses a metric for the first time, finds out which one. */
  const readMetrics = async (question: Question, budget: CallBudget): Promise<ReadingRow[]> => {
    forgetOldRefusals(knowledge, clock.now());
    const plan = planFor(question, knowledge);
    try {
      const answers = [];
      for (const each of plan.questions) answers.push({ question: each, rows: await readBoth(each, budget) });
      const rows = derivedRows(question, plan, [answers]).flat();
      noteAnswered(question, rows, knowledge);
      return rows;
    } catch (error) {
      if (!(error instanceof QuestionRefusedError)) throw error;
      const probe = (aggregations: Aggregation[]) =>
        refusalIn(() => readWindow({ ...question, aggregations }, question.window, budget));
      if (!(await findRefused(question, knowledge, { probe, now: clock.now() }))) throw error;
      return readMetrics(question, budget);
    }
  };

  /** Throws `UnsupportedError`. */
  const readWindows = async (question: RangeQuestion, budget: CallBudget): Promise<ReadingRow[][]> => {
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
      throw new UnsupportedError('the response has no rows', { isOnce: true });
    ranges.set(key, { isExact: true });
    return rows;
  };

  /** Remembers a refused range, unless the refusal may be about one of its metrics. */
  const readKnownRange = async (question: RangeQuestion, budget: CallBudget): Promise<ReadingRow[][]> => {
    const key = rangeKey(question);
    const known = ranges.get(key);
    if (known?.isExact === false) throw new UnsupportedError(known.reason);
    try {
      return await readWindows(question, budget);
    } catch (error) {
      const isOnce = question.inOneAnswer || untestedIn(question, knowledge).length > 0;
      if (error instanceof UnsupportedError && !error.isOnce && !isOnce)
        ranges.set(key, { isExact: false, reason: error.message });
      throw error;
    }
  };

  const readRangeMetrics = async (question: RangeQuestion, budget: CallBudget): Promise<ReadingRow[][]> => {
    const plan = planFor(question, knowledge);
    const windows = question.windows.map((): Answered[] => []);
    for (const each of plan.questions) {
      const parts = await readKnownRange(each, budget);
      for (const [i, rows] of parts.entries()) windows[i]?.push({ question: each, rows });
    }
    const derived = derivedRows(question, plan, windows);
    noteAnswered(question, derived.flat(), knowledge);
    return derived;
  };

  return withComputedQuestions<MetricSource>({
    read: (question, budget = 'whole') =>
      asResult(async () => {
        const rows: ReadingRow[] = [];
        for (const part of partsOf(question)) rows.push(...(await readMetrics(part, budget)));
        return rows;
      }),
    async readRange(question, budget = 'whole') {
      try {
        return await asResult(() => readRangeMetrics(question, budget));
      } catch (error) {
        if (!(error instanceof UnsupportedError)) throw error;
        return { kind: 'unsupported', reason: error.message };
      }
    },
    readNewestEventAt: (app, since) =>
      asResult(async () => {
        const endAt = Math.max(since, clock.now() + CLOCK_SKEW_MS);
        const filters = [windowFilter({ startAt: since, endAt })];
        return newestEventIn(await readList({ app, endpoint: 'event', filters }, 1, 'whole'));
      }),
    readRecords: (list, most) => asResult(() => readList(list, most, 'spare')),
    readCatalogue: (app) =>
      asResult(async () => {
        const call = { style: 'legacy', path: '/v2/event/catalogue', app, query: {} } as const;
        return catalogueIn(pageOf(await send(call, 'whole')).items);
      }),
    callsMade: () => calls,
  });
}

/** Questions with the same key are about the same family, and get the same answer. */
function rangeKey({ app, endpoint, filters, segmentBy, thenBy, funnel, calendar }: RangeQuestion): string {
  return JSON.stringify([app, endpoint, filters, segmentBy, calendar.grain, calendar.zone, thenBy, funnel]);
}

/** Questions with the same key are about the same events and buckets. */
function bucketsKey({ app, endpoint, calendar }: RangeQuestion): string {
  return JSON.stringify([app, endpoint, calendar.grain, calendar.zone]);
}

/** The service does not return the requested buckets. */
class UnsupportedError extends Error {
  /** Only this range failed. Others may be supported. */
  readonly isOnce: boolean;

  constructor(message: string, { isOnce = false, ...options }: ErrorOptions & { isOnce?: boolean } = {}) {
    super(message, options);
    this.isOnce = isOnce;
  }
}

async function asUnsupported<T>(kind: typeof UpstreamError, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof kind) throw new UnsupportedError(error.message, { cause: error });
    throw error;
  }
}

/** The service compares timestamps with the same elapsed time before: not with the day before a 25-hour day. */
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
    if (error instanceof QuestionRefusedError)
      return { kind: 'failed', reason: error.message, retryable: false, isRefusal: true };
    if (error instanceof UpstreamError)
      return { kind: 'failed', reason: error.message, retryable: error.retryable };
    throw error;
  }
}
