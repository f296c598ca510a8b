import type { Clock } from '../../../../shared/runtime/clock.ts';
import type { TableSource } from '../compiler.ts';
import type { Engine, EngineAnswer } from '../engine.ts';
import { type AnswerOf, serverEngine } from '../server-engine.ts';
import { TrinoCompiler } from './compiler.ts';

export interface StatementOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called when the statement runs; it waits in a queue before. */
  readonly onTurn?: () => void;
}

/** Runs statements on Trino or Athena. */
export interface StatementRunner {
  /**
   * Runs one SELECT. Aborting `signal` stops the query in the server and rejects with the signal's reason.
   * @throws BusyError if it waited in the queue of the server until its time was up.
   * @throws QueryLimitError if the statement is too long, or a limit of time, bytes or memory stopped it.
   * @throws UpstreamError if the server rejected it or failed; neither message nor cause contains SQL.
   */
  runStatement(sql: string, options?: StatementOptions): Promise<EngineAnswer>;
}

export interface StatementClient extends StatementRunner {
  /**
   * The columns of a SELECT.
   * @throws SqlRejected if the SELECT is wrong; otherwise as above.
   */
  describe(sql: string): Promise<readonly StatementColumn[]>;
}

/** The type as Trino writes it: `varchar(3)`, `array(varchar)`. Athena leaves out what is in parentheses. */
export interface StatementColumn {
  readonly name: string;
  readonly type: string;
}

export interface TrinoRequest {
  /** Runs statements with this time limit each. */
  readonly runnerFor: (timeoutMs: number) => StatementRunner;
  /** For all statements of the request together. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'now'>;
  readonly hours?: Engine['hours'];
}

/** The engine of one request. Disposing stops all statements that still run. */
export function trinoEngine(
  source: TableSource,
  { runnerFor, timeoutMs, clock, hours }: TrinoRequest,
): Engine & AsyncDisposable {
  const answerOf: AnswerOf = (query, { timeoutMs: leftMs, ...options }) =>
    runnerFor(leftMs).runStatement(new TrinoCompiler(source).compile(query).sql, options);
  return { ...serverEngine(timeoutMs, answerOf, clock), hours };
}
