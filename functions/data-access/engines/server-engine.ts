import { QueryLimitError } from '../../../shared/runtime/errors.ts';
import type { Engine, EngineAnswer } from './engine.ts';
import type { Query } from './query.ts';
import { requestQueries } from './request-queries.ts';

export interface ServerSettings {
  /** Contains the password. */
  readonly url: string;
  readonly connections: number;
  /** Whether a connection stays open for the next statement: true by default. */
  readonly keepsIdle?: boolean;
}

export interface RunOptions {
  /** Stops the statement; the call then rejects. */
  readonly signal: AbortSignal;
  /** Includes the wait for a connection. The server stops the statement then, even if the client is gone. */
  readonly timeoutMs: number;
  /** Called when the statement has a connection. */
  readonly onTurn?: () => void;
}

export type AnswerOf = (query: Query, options: RunOptions) => Promise<EngineAnswer>;

/** The engine of one request to a server. Disposing stops all queries that still run. */
export function serverEngine(
  timeoutMs: number,
  answerOf: AnswerOf,
  clock: { now(): number } = performance,
): Engine & AsyncDisposable {
  const endsAt = clock.now() + timeoutMs;
  const { run, ...queries } = requestQueries();
  return {
    ...queries,
    async answer(query, caller) {
      const leftMs = endsAt - clock.now();
      if (leftMs < 1) throw new QueryLimitError('stopped at the time limit of a request');
      return run(caller, async (signal, onTurn) => {
        signal.throwIfAborted();
        return answerOf(query, { signal, timeoutMs: leftMs, onTurn });
      });
    },
  };
}
