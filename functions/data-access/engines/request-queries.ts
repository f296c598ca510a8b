import { BusyError, QueryLimitError } from '../../../shared/runtime/errors.ts';

/** The queries of one request. Disposing stops all that still run: they would cost money or time of other requests. */
export function requestQueries() {
  const ended = new AbortController();
  const running = new Set<Promise<unknown>>();
  let hadTurn = false;
  const onTurn = () => {
    hadTurn = true;
  };
  return {
    /**
     * Runs a query, whose signal is aborted when the caller has gone or the request has ended. `start` calls `onTurn` when
     * the query stops waiting: a request that had a turn is too large itself, even if its next query only waited.
     */
    async run<T>(
      caller: AbortSignal | undefined,
      start: (signal: AbortSignal, onTurn: () => void) => Promise<T>,
    ): Promise<T> {
      const signal = caller ? AbortSignal.any([caller, ended.signal]) : ended.signal;
      const answer = start(signal, onTurn);
      running.add(answer);
      try {
        return await answer;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (error instanceof BusyError && hadTurn)
          throw new QueryLimitError('stopped at the time limit of a request');
        throw error;
      } finally {
        running.delete(answer);
      }
    },
    async [Symbol.asyncDispose]() {
      ended.abort(new DOMException('the request has ended', 'AbortError'));
      await Promise.allSettled(running);
    },
  };
}
