import type { MetricSource, ReadResult } from '../../shared/readings/metric-source.ts';
import type { Question, ReadingRow } from '../../shared/readings/reading.ts';
import type { Window } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { MONDAY } from '../fixtures/builders.ts';
import type { Process } from './process.ts';
import type { Scenario } from './scenario.ts';

/** The data access service of one run. It sometimes fails, and answers no question about drivers. */
export function sourceOf({ figure, segments }: Scenario, by: Process): MetricSource {
  const rowsOf = ({ eventNames = [], segmentBy, aggregations }: Question | Subject, windows: Window[]) =>
    eventNames.flatMap((eventName) =>
      (segmentBy ? segments : [undefined]).map((segment) => {
        const named = { eventName, ...(segment !== undefined && { segment }) };
        const figures = windows.map(({ startAt }) => {
          const count = figure((startAt - MONDAY) / DAY_MS, named, (by.clock.now() - MONDAY) / DAY_MS);
          return Object.fromEntries(aggregations.map(({ attribute }) => [attribute, count]));
        });
        return { named, figures };
      }),
    );
  const answer = <T>(value: () => T): ReadResult<T> => {
    if (by.fault('source fails', { refused: 0.02 }))
      return { kind: 'failed', reason: 'the service is down', retryable: true };
    return { kind: 'read', value: value() };
  };
  return {
    async read(question) {
      if (question.groupBy) return { kind: 'budget-spent', reason: 'no calls are left' };
      return answer(() =>
        rowsOf(question, [question.window, question.previous]).map(
          ({ named, figures: [current = {}, previous = {}] }): ReadingRow => ({
            ...named,
            current,
            previous,
          }),
        ),
      );
    },
    async readRange({ windows, ...subject }) {
      return answer(() =>
        windows.map((window) =>
          rowsOf(subject, [window]).map(
            ({ named, figures: [current = {}] }): ReadingRow => ({ ...named, current }),
          ),
        ),
      );
    },
    readNewestEventAt: async () => answer(() => by.clock.now()),
  };
}

type Subject = Pick<Question, 'eventNames' | 'segmentBy' | 'aggregations'>;
