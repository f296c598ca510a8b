import type { Clock } from '../../../../shared/runtime/clock.ts';
import { QueryLimitError } from '../../../../shared/runtime/errors.ts';
import type { TableSource } from '../compiler.ts';
import type { Engine, EngineAnswer } from '../engine.ts';
import { TrinoCompiler } from '../trino/compiler.ts';

/** Runs statements on Athena; see `athena-client.ts` for what stops one and what is thrown. */
export interface StatementRunner {
  runStatement(sql: string, options: { signal: AbortSignal | undefined }): Promise<EngineAnswer>;
}

export interface AthenaRequest {
  /** Runs statements with this time limit each. */
  readonly runnerFor: (timeoutMs: number) => StatementRunner;
  /** For all statements of the request together. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'now'>;
  readonly hours?: Engine['hours'];
}

/**
 * The engine of one request. Disposing stops all statements that still run: they would cost money and, on Lambda, resume
 * during a later request.
 */
export function athenaEngine(
  source: TableSource,
  { runnerFor, timeoutMs, clock, hours }: AthenaRequest,
): Engine & AsyncDisposable {
  const endsAt = clock.now() + timeoutMs;
  const ended = new AbortController();
  const running: Promise<EngineAnswer>[] = [];
  return {
    hours,
    async answer(query, caller) {
      const leftMs = endsAt - clock.now();
      if (leftMs <= 0) throw new QueryLimitError(`stopped after ${timeoutMs} ms`);
      const signal = caller ? AbortSignal.any([caller, ended.signal]) : ended.signal;
      const answer = runnerFor(leftMs).runStatement(new TrinoCompiler(source).compile(query).sql, { signal });
      running.push(answer);
      return answer;
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      await Promise.allSettled(running);
    },
  };
}
