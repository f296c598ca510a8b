import type { Engine, EngineAnswer } from './engine.ts';
import { TrinoCompiler } from './trino-compiler.ts';

/** Runs statements on Athena; see `athena-client.ts` for what stops one and what is thrown. */
export interface StatementRunner {
  runStatement(sql: string, options: { signal: AbortSignal | undefined }): Promise<EngineAnswer>;
}

/** An engine for one app, over tables with the data of many. */
export const athenaEngine = (runner: StatementRunner, appId: string): Engine => ({
  answer: (query, signal) => runner.runStatement(new TrinoCompiler(appId).compile(query).sql, { signal }),
});
