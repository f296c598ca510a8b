/** The queries of one request. Disposing stops all that still run: they would cost money or time of other requests. */
export function requestQueries() {
  const ended = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    /** Runs a query, whose signal is aborted when the caller has gone or the request has ended. */
    async run<T>(caller: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const signal = caller ? AbortSignal.any([caller, ended.signal]) : ended.signal;
      const answer = start(signal);
      running.add(answer);
      try {
        return await answer;
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
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
