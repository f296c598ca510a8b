import type { Clock } from '../../../../shared/runtime/clock.ts';
import { QueryLimitError } from '../../../../shared/runtime/errors.ts';
import type { TableSource } from '../compiler.ts';
import type { Engine, EngineAnswer } from '../engine.ts';
import { requestQueries } from '../request-queries.ts';
import { TrinoCompiler } from '../trino/compiler.ts';

export interface StatementOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called when Athena runs the statement, which waits in its queue before. */
  readonly onTurn?: () => void;
}

/** Runs statements on Athena; see `athena-client.ts` for what stops one and what is thrown. */
export interface StatementRunner {
  runStatement(sql: string, options: StatementOptions): Promise<EngineAnswer>;
}

export interface AthenaRequest {
  /** Runs statements with this time limit each. */
  readonly runnerFor: (timeoutMs: number) => StatementRunner;
  /** For all statements of the request together. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'now'>;
  readonly hours?: Engine['hours'];
}

/** The engine of one request. Disposing stops all statements that still run. */
export function athenaEngine(
  source: TableSource,
  { runnerFor, timeoutMs, clock, hours }: AthenaRequest,
): Engine & AsyncDisposable {
  const endsAt = clock.now() + timeoutMs;
  const { run, ...queries } = requestQueries();
  return {
    ...queries,
    hours,
    async answer(query, caller) {
      const leftMs = endsAt - clock.now();
      if (leftMs <= 0) throw new QueryLimitError(`stopped after ${timeoutMs} ms`);
      const { sql } = new TrinoCompiler(source).compile(query);
      return run(caller, (signal, onTurn) => runnerFor(leftMs).runStatement(sql, { signal, onTurn }));
    },
  };
}
